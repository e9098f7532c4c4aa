package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What the launcher starts; a script that prints its arguments stands in for the JVM. */
class LauncherTest {

    private static final Path LAUNCHER = Path.of("src/main/dist/bin/kjadm");

    @TempDir
    Path folder;

    private Path launcher;

    @BeforeEach
    void putTogether() throws IOException {
        launcher = folder.resolve("kjadm/bin/kjadm");
        Path java = folder.resolve("kjadm/runtime/bin/java");
        Files.createDirectories(launcher.getParent());
        Files.createDirectories(java.getParent());
        Files.copy(LAUNCHER, launcher);
        Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        assertTrue(launcher.toFile().setExecutable(true));
        assertTrue(java.toFile().setExecutable(true));
    }

    @Test
    void theNameOfTheCallIsThatOfTheLinkNotOfItsTarget() throws IOException, InterruptedException {
        Path link = Files.createSymbolicLink(
                folder.resolve("kubeadm"), Path.of("kjadm", "bin", "kjadm"));
        assertEquals("kubeadm", name(started(link, "version")));
        assertEquals("kjadm", name(started(launcher, "version")));
    }

    @Test
    void argumentsArePassedOnAsTheyAre() throws IOException, InterruptedException {
        List<String> started = started(launcher, "--v", "5", "token", "create", "a b");
        assertEquals(
                List.of("io.kjadm.cli.Main", "--v", "5", "token", "create", "a b"),
                started.subList(started.size() - 6, started.size()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"})
    void noDescriptorIsLeftToTheFilesOfTheJvm(String closing)
            throws IOException, InterruptedException {
        Path seen = folder.resolve("seen");
        jvm("exec 9> %s; for d in 0 1 2; do [ ! -e /proc/$$/fd/$d ] || echo $d >&9; done"
                .formatted(seen));
        started(Path.of("/bin/sh"), "-c", launcher + " version " + closing);
        assertEquals(List.of("0", "1", "2"), Files.readAllLines(seen));
    }

    @Test
    void aDeletedWorkingDirectoryIsLeftForOneWhereNothingCanBeCreated()
            throws IOException, InterruptedException {
        jvm("/bin/pwd -P; echo key > key || echo refused");
        List<String> started = started(
                Path.of("/bin/sh"),
                "-c",
                "cd %s && mkdir gone && cd gone && rmdir ../gone && %s version"
                        .formatted(folder, launcher));
        assertEquals("refused", started.getLast(), started::toString);
        assertEquals(
                List.of(folder.toRealPath().toString()),
                started(Path.of("/bin/sh"), "-c", "cd %s && %s x".formatted(folder, launcher)));
        assertTrue(Files.exists(folder.resolve("key")));
    }

    @ParameterizedTest
    @CsvSource({
        "version, --v 5 version",
        "token list, --kubeconfig F token list",
        "token create, token --dry-run create",
        "init --config F, --config F init",
        "init phase certs all, init --config F phase certs all",
        "init phase upload-certs, init phase --config F upload-certs",
        "upgrade apply v1.36.2, upgrade --yes apply v1.36.2",
        "upgrade plan, --v=3 upgrade plan",
        "etcd snapshot save F, etcd --v=3 snapshot save F",
        "etcd status, --v=3 etcd status",
        "config images list, --v 1 config --v 1 images list",
        "reset, --force reset"
    })
    void theProfileIsThatOfTheCommandWhereverFlagsStand(String plain, String withFlags)
            throws IOException, InterruptedException {
        assertEquals(
                profile(started(launcher, plain.split(" "))),
                profile(started(launcher, withFlags.split(" "))));
    }

    @Test
    void commandsDifferInTheirProfiles() throws IOException, InterruptedException {
        assertEquals(
                4,
                List.of("version", "init phase upload-certs", "init", "etcd status").stream()
                        .map(line -> {
                            try {
                                return profile(started(launcher, line.split(" ")));
                            } catch (IOException | InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        })
                        .distinct()
                        .count());
    }

    /** Each class of a cache is loaded at the start, and keys need the second compiler. */
    @ParameterizedTest
    @CsvSource({
        "version -o short, print, false",
        "init phase certs all, files, true",
        "init phase certs apiserver --config F, files, true",
        "init phase kubeconfig all, files, true",
        "init phase kubelet-start --config F, files, false",
        "init phase control-plane all --config F, files, false",
        "init phase etcd local --config F, files, false",
        "init phase upload-certs --upload-certs, work, false",
        "init phase addon all, work, false",
        "join phase control-plane-prepare certs --config F, work, true",
        "certs renew all --config F, files, true",
        "certs renew all --config=F, files, true",
        "certs renew all, work, true",
        "certs check-expiration --config F, files, false",
        "certs check-expiration, work, false",
        "certs certificate-key, files, false",
        "certs generate-csr, files, true",
        "kubeconfig user --client-name U, files, true",
        "config images list, files, false",
        "config images pull, work, false",
        "config validate --config F, files, false",
        "token generate, files, false",
        "token create --dry-run, work, false",
        "completion bash, files, false",
        "etcd init --from-snapshot F, work, true",
        "etcd certs renew --config F, work, true",
        "etcd status, work, false",
        "etcd auto S, work, true",
        "etcd auto check, files, false",
        "etcd seed S nodes=3, work, false",
        "init --config F, work, true",
        "reset --force, work, true"
    })
    void theProfileFollowsFromWhatACommandDoes(String line, String cache, boolean bothCompilers)
            throws IOException, InterruptedException {
        List<String> started = started(launcher, line.split(" "));
        assertTrue(
                started.stream()
                        .anyMatch(option -> option.startsWith("-XX:AOTCache=")
                                && option.endsWith("/" + cache + ".aot")),
                started::toString);
        assertEquals(
                bothCompilers, !started.contains("-XX:TieredStopAtLevel=1"), started::toString);
    }

    /** Another script stands in for the JVM. */
    private void jvm(String script) throws IOException {
        Files.writeString(folder.resolve("kjadm/runtime/bin/java"), "#!/bin/sh\n" + script + "\n");
    }

    /** The name that the program is told. */
    private static String name(List<String> started) {
        String property = "-Dkjadm.name=";
        return started.stream()
                .filter(option -> option.startsWith(property))
                .map(option -> option.substring(property.length()))
                .collect(Collectors.joining(" "));
    }

    /** What differs between commands: cache, heap and compilers. */
    private static List<String> profile(List<String> started) {
        return started.stream()
                .filter(option -> option.startsWith("-XX:AOTCache=")
                        || option.startsWith("-Xmx")
                        || option.startsWith("-XX:TieredStop"))
                .toList();
    }

    private static List<String> started(Path program, String... arguments)
            throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(program.toString()));
        line.addAll(List.of(arguments));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output.lines().toList();
    }
}
