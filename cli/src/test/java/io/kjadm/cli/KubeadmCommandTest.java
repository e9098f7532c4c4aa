package io.kjadm.cli;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.TestConsole.Run;
import io.kjadm.cli.console.ProgramName;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What kubeadm's own tests claim of a kubeadm ({@code cmd/kubeadm/test/cmd}), of this program called
 * by that name. {@code e2e/peer} runs the originals.
 */
class KubeadmCommandTest {

    private static final String INIT = "init --dry-run --ignore-preflight-errors=all"
            + " --cri-socket=unix:///nowhere.sock --apiserver-advertise-address=192.0.2.7";

    @TempDir
    Path folder;

    private static Run run(String words) {
        return TestConsole.runAs(ProgramName.KUBEADM, words.split(" "));
    }

    private Run initWith(String documents) throws IOException {
        Path file = Files.writeString(folder.resolve("config.yaml"), documents);
        return run("init --dry-run --ignore-preflight-errors=all --config=" + file);
    }

    @Test
    void completionNeedsAShellThatIsKnown() {
        assertEquals(1, TestConsole.runAs(ProgramName.KUBEADM, "completion", "").status());
        assertEquals(1, run("completion foo").status());
    }

    @Test
    void theImagesOfTheNewestReleaseAreListedWithoutAWarningOfEtcd() {
        Run run = run("config images list --v=1 --kubernetes-version="
                + run("version -o=short").out().strip());
        assertEquals(0, run.status(), run.all());
        assertEquals("", run.err(), run.all());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--token=abcd:1234567890abcd",
                "--token=Abcdef:1234567890abcdef",
                "--kubernetes-version=v1.1",
                "--apiserver-bind-port=foobar",
                "--apiserver-bind-port=100000",
                "--apiserver-bind-port=-6000"
            })
    void initRefusesWhatIsNoTokenVersionOrPort(String flag) {
        Run run = run(INIT + " " + flag);
        assertEquals(1, run.status(), run.all());
        assertFalse(run.error().isEmpty(), run.all());
    }

    @Test
    void initAcceptsATokenAPortAndTheVersionThatItNames() {
        Run run = run(INIT + " --token=abcdef.0123456789abcdef --apiserver-bind-port=6000"
                + " --kubernetes-version=" + run("version -o=short").out().strip());
        assertEquals(0, run.status(), run.all());
        assertHasLine("server: https://192.0.2.7:6000", run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1beta1", "v1beta2"})
    void initDoesNotReadOldVersions(String version) throws IOException {
        assertEquals(
                1,
                initWith("apiVersion: kubeadm.k8s.io/%s\nkind: InitConfiguration\n"
                                .formatted(version))
                        .status());
    }

    @Test
    void initReadsTheCurrentVersionAndComponentConfigurations() throws IOException {
        Run run = initWith("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                localAPIEndpoint: {advertiseAddress: 192.0.2.7}
                nodeRegistration: {criSocket: "unix:///nowhere.sock"}
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                encryptionAlgorithm: ECDSA-P256
                ---
                apiVersion: kubelet.config.k8s.io/v1beta1
                kind: KubeletConfiguration
                """);
        assertEquals(0, run.status(), run.all());
    }

    @Test
    void initDoesNotReadAnOldComponentConfiguration() throws IOException {
        Run run = initWith("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                ---
                apiVersion: kubelet.config.k8s.io/v1alpha1
                kind: KubeletConfiguration
                """);
        assertEquals(1, run.status(), run.all());
    }

    @Test
    void initTakesNoSettingBesideAFile() throws IOException {
        Path file = Files.writeString(
                folder.resolve("config.yaml"),
                "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n");
        assertEquals(
                1, run(INIT + " --kubernetes-version=1.11.0 --config=" + file).status());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "init --dry-run --config=/does/not/exist/foo/bar",
                "join --config=foobar",
                "join --config=/does/not/exist/foo/bar",
                "join --discovery-file=foobar",
                "join --discovery-file=file:wrong",
                "join --discovery-token=foobar",
                "join --discovery-token=token://asdf:asdf",
                "join --node-name=foobar",
                "join --tls-bootstrap-token=foobar",
                "join --tls-bootstrap-token=token://asdf:asdf",
                "join --token=foobar",
                "join --token=token://asdf:asdf",
                "join --discovery-token=abcdef.1234567890123456 --discovery-file=file:///tmp/foo.bar",
                "join",
                "join --discovery-token=abcdef.1234567890abcdef --config=/etc/kubernetes/kubeadm.config",
                "token genorate",
                "token delete",
                "token delete foobar",
                "version --output=valid"
            })
    void whatCannotWorkEndsWithStatusOne(String words) {
        List<String> line = new ArrayList<>(List.of(words.split(" ")));
        if (words.startsWith("join")) {
            line.add("--ignore-preflight-errors=all");
        }
        Run run = TestConsole.runAs(ProgramName.KUBEADM, line.toArray(String[]::new));
        assertEquals(1, run.status(), run.all());
    }

    @ParameterizedTest
    @CsvSource({"token generate, \\S{6}\\.\\S{16}\\n", "version --output=short, v.+\\n"})
    void theResultIsAloneOnStandardOutput(String words, String form) {
        Run run = run(words);
        assertEquals(0, run.status(), run.all());
        assertTrue(run.out().matches(form), run.all());
        assertEquals("", run.err());
    }
}
