package io.kjadm.cli;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.cli.TestConsole.Run;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Single phases of {@code init}, as far as they run on any machine. */
class InitPhaseTest {

    private static final String CONFIG = """
            apiVersion: kubeadm.k8s.io/v1beta4
            kind: InitConfiguration
            localAPIEndpoint: {advertiseAddress: 192.0.2.10}
            nodeRegistration: {name: cp-1, criSocket: "unix:///run/c.sock"}
            patches: {directory: "%s"}
            ---
            apiVersion: kubeadm.k8s.io/v1beta4
            kind: ClusterConfiguration
            kubernetesVersion: v1.36.2
            """;

    @TempDir
    Path folder;

    private static Run phase(String words) {
        return TestConsole.run(("init phase " + words).split(" "));
    }

    @Test
    void anExtraArgumentIsWrittenOnce() {
        Run run = phase("control-plane apiserver --dry-run --apiserver-advertise-address 192.0.2.10"
                + " --kubernetes-version v1.36.2 --apiserver-extra-args foo=bar,n=5");
        assertEquals(0, run.status(), run.all());
        assertEquals(
                List.of("- --foo=bar", "- --n=5"),
                run.out()
                        .lines()
                        .map(String::strip)
                        .filter(line -> line.startsWith("- --foo=") || line.startsWith("- --n="))
                        .toList());
    }

    @Test
    void aFlagThatTheComponentNoLongerHasIsWrittenWithAWarning() {
        String words = "control-plane %s --dry-run --kubernetes-version v1.36.2"
                + " --%s-extra-args cloud-provider=external";
        Run gone = phase(words.formatted("apiserver", "apiserver"));
        assertEquals(0, gone.status(), gone.all());
        assertHasLine("- --cloud-provider=external", gone.out());
        assertHasLine(
                "W kube-apiserver v1.36.2 has no flag --cloud-provider: it was removed in v1.33, and the component does not start with it",
                gone.err());

        Run known = phase(words.formatted("controller-manager", "controller-manager"));
        assertEquals(0, known.status(), known.all());
        assertEquals("", known.err(), known.all());
    }

    @ParameterizedTest
    @CsvSource({
        "kube-proxy,ServiceAccount ClusterRoleBinding Role RoleBinding ConfigMap DaemonSet",
        "coredns,Deployment ConfigMap Service ClusterRole ClusterRoleBinding ServiceAccount"
    })
    void aPrintedManifestIsAloneOnStandardOutput(String addon, String objects) throws IOException {
        Files.writeString(folder.resolve("corednsdeployment+merge.yaml"), "spec: {replicas: 5}\n");
        Path config = Files.writeString(folder.resolve("init.yaml"), CONFIG.formatted(folder));
        Run run = phase("addon %s --print-manifest --config %s".formatted(addon, config));
        assertEquals(0, run.status(), run.all());
        List<String> kinds = Stream.of(run.out().split("(?m)^---$"))
                .filter(text -> !text.isBlank())
                .map(text -> String.valueOf(ManifestYaml.readObject(text).get("kind")))
                .toList();
        assertEquals(objects, String.join(" ", kinds), run.all());
    }
}
