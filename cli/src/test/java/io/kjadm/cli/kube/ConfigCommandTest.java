package io.kjadm.cli.kube;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.cli.ImageServer;
import io.kjadm.cli.TestConsole;
import io.kjadm.cli.TestConsole.Run;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

class ConfigCommandTest {

    private static final String CLUSTER = """
            apiVersion: kubeadm.k8s.io/%s
            kind: ClusterConfiguration
            kubernetesVersion: v1.36.2
            imageRepository: registry.example/k8s
            """;

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "init-defaults,InitConfiguration+ClusterConfiguration",
        "join-defaults,JoinConfiguration",
        "reset-defaults,ResetConfiguration",
        "upgrade-defaults,UpgradeConfiguration"
    })
    void defaultsAreWholeDocuments(String name, String kinds) {
        Run run = TestConsole.run("config", "print", name);
        assertEquals(0, run.status());
        assertEquals("", run.err());
        assertEquals(List.of(kinds.split("\\+")), kinds(run.out()));
    }

    @Test
    void componentDefaultsFollowInTheOrderTheyWereNamed() {
        assertEquals(
                List.of(
                        "InitConfiguration",
                        "ClusterConfiguration",
                        "KubeletConfiguration",
                        "KubeProxyConfiguration"),
                kinds(TestConsole.run(
                                "config",
                                "print",
                                "init-defaults",
                                "--component-configs",
                                "KubeletConfiguration,KubeProxyConfiguration")
                        .out()));
    }

    @Test
    void anUnknownComponentIsRefused() {
        Run run = TestConsole.run(
                "config", "print", "init-defaults", "--component-configs=EtcdConfiguration");
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertEquals(
                "unknown component configuration \"EtcdConfiguration\": known ones are KubeProxyConfiguration, KubeletConfiguration",
                run.error(),
                run.all());
    }

    @Test
    void printedDefaultsAreValid() throws IOException {
        for (String workflow : List.of("join", "reset", "upgrade")) {
            String defaults =
                    TestConsole.run("config", "print", workflow + "-defaults").out();
            assertEquals(
                    "ok\n",
                    TestConsole.run("config", "validate", "--config", file(defaults))
                            .out(),
                    workflow);
        }
    }

    @Test
    void aDeprecatedVersionIsValidWithAWarning() throws IOException {
        String file = file(CLUSTER.formatted("v1beta3"));
        Run warned = TestConsole.run("config", "validate", "--config", file);
        assertEquals(0, warned.status());
        assertEquals("ok\n", warned.out());
        assertHasLine(
                "W ClusterConfiguration of %s uses the deprecated kubeadm.k8s.io/v1beta3; convert it with config migrate"
                        .formatted(file),
                warned.err());
        Run quiet =
                TestConsole.run("config", "validate", "--config", file, "--allow-deprecated-api");
        assertEquals("", quiet.err());
    }

    /** A file that had worked for years, with a version that dropped the flag in between. */
    @Test
    void aFlagThatAComponentNoLongerHasIsWarnedOf() throws IOException {
        Run old = TestConsole.run("config", "validate", "--config", file("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                nodeRegistration: {kubeletExtraArgs: [{name: container-runtime, value: remote}]}
                ---
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: ClusterConfiguration
                kubernetesVersion: v1.36.2
                apiServer: {extraArgs: [{name: cloud-provider, value: external}]}
                controllerManager: {extraArgs: [{name: cloud-provider, value: external}]}
                """));
        assertEquals(0, old.status(), old.all());
        assertEquals("ok\n", old.out());
        assertEquals("""
                W kube-apiserver v1.36.2 has no flag --cloud-provider: it was removed in v1.33, and the component does not start with it
                W kubelet v1.36.2 has no flag --container-runtime: it was removed in v1.27, and the component does not start with it
                """, old.err());
    }

    @Test
    void anUnknownFieldIsAnErrorOfValidateAndOfMigrate() throws IOException {
        String file = file(CLUSTER.formatted("v1beta4") + "clusterNaem: x\n");
        for (Run run : List.of(
                TestConsole.run("config", "validate", "--config", file),
                TestConsole.run("config", "migrate", "--old-config", file))) {
            assertEquals(1, run.status());
            assertEquals("", run.out());
            assertEquals(
                    "ClusterConfiguration in %s is invalid: ClusterConfiguration clusterNaem in %s: unknown field"
                            .formatted(file, file),
                    run.error(),
                    run.all());
        }
    }

    /** Both may hold tokens and the certificate key. */
    @ParameterizedTest
    @CsvSource({
        "rw-------, '', rw-------",
        "rw-r--r--, rw-------, rw-------",
        "rw-r--r--, '', rw-r--r--",
        "rw-r--r--, rw-r--r--, rw-r--r--"
    })
    void whatMigrateWritesIsNotOpenToMoreAccounts(String old, String target, String expected)
            throws IOException {
        Path from = Path.of(file(CLUSTER.formatted("v1beta3")));
        Files.setPosixFilePermissions(from, PosixFilePermissions.fromString(old));
        Path to = folder.resolve("new.yaml");
        if (!target.isEmpty()) {
            Files.writeString(to, "");
            Files.setPosixFilePermissions(to, PosixFilePermissions.fromString(target));
        }

        Run run = TestConsole.run(
                "config",
                "migrate",
                "--old-config",
                from.toString(),
                "--new-config",
                to.toString());

        assertEquals(0, run.status(), run::all);
        assertEquals(expected, PosixFilePermissions.toString(Files.getPosixFilePermissions(to)));
    }

    @Test
    void migrateWritesTheCurrentVersion() throws IOException {
        String old = file(CLUSTER.formatted("v1beta3"));
        Run printed = TestConsole.run("config", "migrate", "--old-config", old);
        assertEquals(0, printed.status());
        assertEquals(List.of("InitConfiguration", "ClusterConfiguration"), kinds(printed.out()));
        assertEquals(
                List.of("apiVersion: kubeadm.k8s.io/v1beta4", "apiVersion: kubeadm.k8s.io/v1beta4"),
                printed.outLines().stream()
                        .filter(line -> line.startsWith("apiVersion:"))
                        .toList());

        Path target = folder.resolve("new.yaml");
        Run written = TestConsole.run(
                "config", "migrate", "--old-config", old, "--new-config", target.toString());
        assertEquals(0, written.status());
        assertEquals("", written.out());
        assertEquals(kinds(printed.out()), kinds(Files.readString(target)));
        assertEquals(
                "rw-r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(target)));
    }

    @Test
    void anEmptyFileMigratesToNothing() throws IOException {
        Run run = TestConsole.run("config", "migrate", "--old-config", file(""));
        assertEquals(0, run.status());
        assertEquals("", run.out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "config validate",
                "config migrate",
                "config validate --config=",
                "config migrate --old-config=",
                "config validate --config /does/not/exist",
                "config images list --config /does/not/exist"
            })
    void aFileIsNeeded(String words) {
        Run run = TestConsole.run(words.split(" "));
        assertEquals(1, run.status());
        assertEquals("", run.out());
    }

    @Test
    void imagesAreListedOnePerLine() {
        Run run = TestConsole.run(
                "config",
                "images",
                "list",
                "--kubernetes-version",
                "1.36.2",
                "--image-repository=my.example");
        assertEquals(0, run.status());
        assertEquals(
                List.of(
                        "my.example/kube-apiserver:v1.36.2",
                        "my.example/kube-controller-manager:v1.36.2",
                        "my.example/kube-scheduler:v1.36.2",
                        "my.example/kube-proxy:v1.36.2",
                        "my.example/coredns:v1.14.6",
                        "my.example/pause:3.10.2",
                        "my.example/etcd:3.6.11-0"),
                run.outLines());
    }

    @Test
    void aFileWinsOverTheOtherFlags() throws IOException {
        Run run = TestConsole.run(
                "config",
                "images",
                "list",
                "--config",
                file(CLUSTER.formatted("v1beta4")),
                "--kubernetes-version",
                "1.37.0",
                "--image-repository",
                "other.example",
                "-o",
                "json");
        assertEquals(0, run.status());
        String registry = "registry.example/k8s/";
        assertEquals(
                List.of(
                        registry + "kube-apiserver:v1.36.2",
                        registry + "kube-controller-manager:v1.36.2",
                        registry + "kube-scheduler:v1.36.2",
                        registry + "kube-proxy:v1.36.2",
                        registry + "coredns:v1.14.6",
                        registry + "pause:3.10.2",
                        registry + "etcd:3.6.11-0"),
                ManifestYaml.readObject(run.out()).get("images"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "yaml", "kyaml"})
    void imagesAreAnObjectOnRequest(String format) {
        Run run = TestConsole.run(
                "config", "images", "list", "--kubernetes-version", "1.36.2", "-o", format);
        assertEquals(0, run.status());
        Map<String, Object> object = ManifestYaml.readObject(run.out());
        assertEquals("Images", object.get("kind"));
        assertEquals("output.kubeadm.k8s.io/v1alpha3", object.get("apiVersion"));
        assertEquals(7, ((List<?>) object.get("images")).size());
    }

    @Test
    void imagesGoThroughTemplates() {
        String[] command = {"config", "images", "list", "--kubernetes-version", "1.36.2", "-o"};
        assertEquals(
                "registry.k8s.io/etcd:3.6.11-0",
                run(command, "jsonpath={.images[-1:]}").out());
        assertEquals("7", run(command, "go-template={{len .images}}").out());
        assertEquals(1, run(command, "go-template={{").status());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--kubernetes-version=1.30.0",
                "--kubernetes-version=soon",
                "--feature-gates=NoSuchGate=true",
                "--output=xml",
                "--output=jsonpath"
            })
    void wrongValuesAreRefused(String flag) {
        Run run = TestConsole.run("config", "images", "list", "--kubernetes-version=1.36.2", flag);
        assertEquals(1, run.status());
        assertEquals("", run.out());
    }

    @Test
    void imagesArePulledOneByOneWhateverTheFileSaysAboutPulling() throws IOException {
        String file =
                file("""
                apiVersion: kubeadm.k8s.io/v1beta4
                kind: InitConfiguration
                nodeRegistration:
                  criSocket: unix://%s
                  imagePullPolicy: Never
                ---
                """.formatted(folder.resolve("cri.sock")) + CLUSTER.formatted("v1beta4"));
        try (ImageServer server = new ImageServer(folder.resolve("cri.sock"), "nothing")) {
            Run run = TestConsole.run("config", "images", "pull", "--config", file);
            assertEquals(0, run.status(), run.all());
            List<String> listed = TestConsole.run("config", "images", "list", "--config", file)
                    .outLines();
            assertEquals(listed, server.pulls());
            assertEquals(
                    listed.stream()
                            .map(image -> "[config/images] Pulled " + image)
                            .toList(),
                    run.outLines());
        }
    }

    @Test
    void pullingStopsAtTheFirstImageThatCannotBeHad() throws IOException {
        try (ImageServer server =
                new ImageServer(folder.resolve("cri.sock"), "controller-manager")) {
            Run run = TestConsole.run(
                    "config",
                    "images",
                    "pull",
                    "--kubernetes-version",
                    "1.36.2",
                    "--cri-socket",
                    "unix://" + folder.resolve("cri.sock"));
            assertEquals(1, run.status());
            assertEquals(
                    List.of("[config/images] Pulled registry.k8s.io/kube-apiserver:v1.36.2"),
                    run.outLines());
            assertEquals(
                    "failed to pull image registry.k8s.io/kube-controller-manager:v1.36.2: NOT_FOUND: no such image",
                    run.error(),
                    run.all());
            assertEquals(6, server.pulls().size());
        }
    }

    @Test
    void pullingNeedsARuntime() {
        Run run = TestConsole.run(
                "config",
                "images",
                "pull",
                "--kubernetes-version",
                "1.36.2",
                "--cri-socket",
                "unix://" + folder.resolve("absent.sock"));
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertEquals(
                "failed to pull image registry.k8s.io/kube-apiserver:v1.36.2: No such file or directory",
                run.error(),
                run.all());
    }

    @Test
    void anArgumentThatStartsWithAtIsNoFileOfArguments() throws IOException {
        Run run = TestConsole.run("config", "validate", "--config", "@" + file("--help"));
        assertEquals(1, run.status());
    }

    private String file(String text) throws IOException {
        return Files.writeString(folder.resolve("config.yaml"), text).toString();
    }

    private static Run run(String[] command, String last) {
        String[] all = Arrays.copyOf(command, command.length + 1);
        all[command.length] = last;
        return TestConsole.run(all);
    }

    private static List<String> kinds(String documents) {
        return ManifestYaml.splitDocuments(documents).stream()
                .map(document -> ManifestYaml.readObject(document).get("kind").toString())
                .toList();
    }
}
