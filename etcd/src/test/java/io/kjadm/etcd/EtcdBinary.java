package io.kjadm.etcd;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * An etcd server binary on this machine: {@code -Dkjadm.etcd}, the folders of {@code KJADM_ETCD_BIN} or
 * {@code ~/.cache/kjadm/etcd}, or the search path, the first of each version.
 */
public record EtcdBinary(Path file, EtcdVersion version) {

    /** Those that fit, oldest version first; the test is skipped if there is none. */
    public static List<EtcdBinary> found(Predicate<EtcdVersion> wanted) {
        var byVersion = new TreeMap<EtcdVersion, EtcdBinary>();
        for (Path file : candidates()) {
            version(file)
                    .filter(wanted)
                    .ifPresent(version ->
                            byVersion.putIfAbsent(version, new EtcdBinary(file, version)));
        }
        assumeFalse(
                byVersion.isEmpty(),
                "no fitting etcd in KJADM_ETCD_BIN or ~/.cache/kjadm/etcd, or the search path");
        return List.copyOf(byVersion.values());
    }

    /** That of {@code -Dkjadm.etcd} if it fits, or the newest that fits. */
    public static EtcdBinary anyOf(Predicate<EtcdVersion> wanted) {
        List<EtcdBinary> fitting = found(wanted);
        return named().flatMap(file -> fitting.stream()
                        .filter(binary -> binary.file().equals(file))
                        .findFirst())
                .orElseGet(fitting::getLast);
    }

    private static Optional<Path> named() {
        return Optional.ofNullable(System.getProperty("kjadm.etcd")).map(Path::of);
    }

    private static List<Path> candidates() {
        var files = new ArrayList<Path>();
        named().ifPresent(files::add);
        Path folder = Optional.ofNullable(System.getenv("KJADM_ETCD_BIN"))
                .map(Path::of)
                .orElseGet(
                        () -> Path.of(System.getProperty("user.home"), ".cache", "kjadm", "etcd"));
        if (Files.isDirectory(folder)) {
            try (Stream<Path> versions = Files.list(folder)) {
                versions.map(version -> version.resolve("etcd")).sorted().forEach(files::add);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        for (String directory :
                Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator)) {
            files.add(Path.of(directory, "etcd"));
        }
        return files.stream()
                .filter(Files::isExecutable)
                .filter(Files::isRegularFile)
                .toList();
    }

    private static Optional<EtcdVersion> version(Path file) {
        try {
            Process process = new ProcessBuilder(file.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            String text =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return text.lines()
                    .filter(line -> line.startsWith("etcd Version: "))
                    .findFirst()
                    .map(line -> EtcdVersion.parse(line.substring("etcd Version: ".length())));
        } catch (IOException e) {
            // for another processor, say
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return "etcd " + version;
    }
}
