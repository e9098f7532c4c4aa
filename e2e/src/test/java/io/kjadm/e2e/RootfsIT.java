package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.lab.Checkout;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The packaged program on another root file system, which has a C library and nothing else. */
class RootfsIT {

    private static final Path PROGRAM = Checkout.folder("cli/target/kjadm");
    private static final String CONFIG = """
            apiVersion: kubeadm.k8s.io/v1beta4
            kind: InitConfiguration
            localAPIEndpoint: {advertiseAddress: 192.0.2.10}
            nodeRegistration: {name: cp-1, criSocket: "unix:///run/c.sock"}
            ---
            apiVersion: kubeadm.k8s.io/v1beta4
            kind: ClusterConfiguration
            kubernetesVersion: v1.36.2
            """;

    @TempDir
    Path folder;

    private Path root;

    private record Run(int status, String output) {}

    /** The same mounts for all that runs here, and none of them outside. */
    private static Run run(List<String> command) throws IOException, InterruptedException {
        List<String> whole = new ArrayList<>(List.of("unshare", "--mount"));
        whole.addAll(command);
        Process process = new ProcessBuilder(whole).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        return new Run(process.waitFor(), output);
    }

    private Run kjadm(String... arguments) throws IOException, InterruptedException {
        return run(Stream.concat(
                        Stream.of(PROGRAM.resolve("bin/kjadm").toString()), Stream.of(arguments))
                .toList());
    }

    @BeforeEach
    void assemble() throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(PROGRAM.resolve("bin/kjadm")), "the program is packaged");
        assumeTrue(
                "root".equals(System.getProperty("user.name"))
                        && run(List.of("true")).status() == 0,
                "mounting is allowed");
        root = Files.createDirectories(folder.resolve("the root"));
        Files.createDirectories(root.resolve("run"));
        Files.writeString(Files.createDirectory(root.resolve("etc")).resolve("init.yaml"), CONFIG);
        List<String> libraries = run(List.of(
                        "ldd",
                        PROGRAM.resolve("runtime/bin/java").toString(),
                        PROGRAM.resolve("runtime/lib/server/libjvm.so").toString()))
                .output()
                .lines()
                .flatMap(line -> Stream.of(line.strip().split("\\s+")))
                .filter(word -> word.startsWith("/") && !word.endsWith(":"))
                .filter(word -> !Path.of(word).startsWith(PROGRAM))
                .distinct()
                .toList();
        for (String library : libraries) {
            Path copy = root.resolve(library.substring(1));
            Files.createDirectories(copy.getParent());
            Files.copy(Path.of(library).toRealPath(), copy);
        }
    }

    @Test
    void everyFileIsReadAndWrittenThere() throws IOException, InterruptedException {
        Run certs = kjadm(
                "--rootfs",
                root.toString(),
                "init",
                "phase",
                "certs",
                "ca",
                "--config",
                "/etc/init.yaml");
        assertEquals(0, certs.status(), certs.output());
        assertTrue(Files.exists(root.resolve("etc/kubernetes/pki/ca.key")), certs.output());
        Run pods = kjadm(
                "init",
                "phase",
                "control-plane",
                "all",
                "--rootfs=" + root,
                "--config=/etc/init.yaml");
        assertEquals(0, pods.status(), pods.output());
        assertTrue(
                Files.exists(root.resolve("etc/kubernetes/manifests/kube-apiserver.yaml")),
                pods.output());
        assertEquals(
                List.of(),
                Files.list(root.resolve("run/kjadm")).toList(),
                "the program is not seen from outside");
    }

    @Test
    void noDirectoryNoLinkAndNoLibraryMeansNo() throws IOException, InterruptedException {
        Run missing = kjadm("version", "--rootfs", folder.resolve("nothing").toString());
        assertEquals(1, missing.status());
        assertTrue(missing.output().contains("there is no such directory"), missing.output());

        Path linked = Files.createDirectory(folder.resolve("linked"));
        Files.createSymbolicLink(linked.resolve("run"), folder);
        Run link = kjadm("version", "--rootfs", linked.toString());
        assertEquals(1, link.status());
        assertTrue(link.output().contains("symbolic link"), link.output());
        assertFalse(Files.exists(folder.resolve("kjadm")));

        Path empty = Files.createDirectory(folder.resolve("empty"));
        Run library = kjadm("version", "--rootfs", empty.toString());
        assertEquals(1, library.status());
        assertTrue(library.output().contains("C library"), library.output());
    }

    @Test
    void anEmptyNameIsThisFileSystem() throws IOException, InterruptedException {
        Run run = kjadm("version", "--rootfs", "", "-o", "short");
        assertEquals(0, run.status(), run.output());
        Run unfinished = kjadm("version", "--rootfs");
        assertEquals(1, unfinished.status());
        assertTrue(unfinished.output().contains("--rootfs"), unfinished.output());
    }
}
