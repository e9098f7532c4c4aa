package io.kjadm.e2e.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * What the build runs after it has compiled the stand-ins: their classes in one jar beside those of
 * the libraries, an AOT cache, and the options with which a node starts them. An AOT cache takes
 * classes only from jars that carry no signature. A JVM for which the cache does not fit starts
 * without it.
 *
 * <p>Nothing is done if the classes, the jars and the JDK are those of the last time.
 */
public final class StandInPackage {
    /** Where the nodes and their containers see the folder. */
    private static final String SHOWN = "/opt/sandbox/lib";

    private static final String CLASSES = "io/kjadm/e2e/sandbox/";
    private static final String LOGGING = "logging.properties";
    private static final String CACHE = "stand-ins.aot";
    private static final String OPTIONS = "java.options";
    private static final Pattern SIGNATURE = Pattern.compile("META-INF/[^/]+\\.(SF|RSA|DSA|EC)");
    /** Zip files have no zone: the earliest that all tools read alike. */
    private static final LocalDateTime EARLIEST = LocalDateTime.of(1980, 2, 1, 0, 0);

    private final Path classes;
    private final Path folder;

    private StandInPackage(Path classes, Path folder) {
        this.classes = classes;
        this.folder = folder;
    }

    /** {@code words}: the folder of the compiled tests, and that of the libraries. */
    public static void main(String... words) throws IOException, InterruptedException {
        new StandInPackage(Path.of(words[0]), Path.of(words[1])).make();
    }

    private void make() throws IOException, InterruptedException {
        var inputs = inputs();
        var made = folder.resolve("inputs");
        if (Files.exists(made) && Files.readString(made).equals(inputs)) {
            return;
        }
        Files.deleteIfExists(made);
        for (var jar : jars()) {
            removeSignature(jar);
        }
        packClasses();
        var jars = jars();
        train(jars);
        replace(OPTIONS, String.join("\n", options(SHOWN, jars)) + "\n");
        replace("inputs", inputs());
    }

    /** All that the result depends on. */
    private String inputs() throws IOException {
        var lines = new ArrayList<String>();
        lines.add(Runtime.version() + " " + System.getProperty("java.home"));
        for (var file : classFiles()) {
            // compiled again, they are mostly the same
            var content = new CRC32();
            content.update(Files.readAllBytes(file));
            lines.add(classes.relativize(file) + " " + content.getValue());
        }
        for (var jar : jars()) {
            if (!jar.endsWith("stand-ins.jar")) {
                lines.add("%s %d %s"
                        .formatted(
                                jar.getFileName(),
                                Files.size(jar),
                                Files.getLastModifiedTime(jar)));
            }
        }
        return String.join("\n", lines);
    }

    private List<Path> classFiles() throws IOException {
        try (var files = Files.walk(classes.resolve(CLASSES))) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private List<Path> jars() throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
        }
    }

    private void packClasses() throws IOException {
        var part = folder.resolve("stand-ins.part");
        try (var out = new ZipOutputStream(Files.newOutputStream(part))) {
            for (var file : classFiles()) {
                add(out, classes.relativize(file).toString(), Files.readAllBytes(file));
            }
            add(out, LOGGING, Files.readAllBytes(classes.resolve(LOGGING)));
        }
        moveTo(part, "stand-ins.jar");
    }

    private void removeSignature(Path jar) throws IOException {
        var part = folder.resolve("unsigned.part");
        try (var from = new ZipFile(jar.toFile())) {
            if (from.stream().noneMatch(StandInPackage::isSignature)) {
                return;
            }
            try (var out = new ZipOutputStream(Files.newOutputStream(part))) {
                for (var entry : from.stream().toList()) {
                    // the manifest of a signed jar has a line for each class
                    if (!isSignature(entry) && !entry.getName().equals(JarFile.MANIFEST_NAME)) {
                        add(out, entry.getName(), from.getInputStream(entry).readAllBytes());
                    }
                }
            }
        }
        moveTo(part, jar.getFileName().toString());
    }

    private static boolean isSignature(ZipEntry entry) {
        return SIGNATURE.matcher(entry.getName()).matches();
    }

    private static void add(ZipOutputStream out, String name, byte[] content) throws IOException {
        var entry = new ZipEntry(name);
        entry.setTimeLocal(EARLIEST);
        out.putNextEntry(entry);
        out.write(content);
        out.closeEntry();
    }

    /** Nodes may have the previous one open. */
    private void replace(String name, String text) throws IOException {
        var part = folder.resolve(name + ".part");
        Files.writeString(part, text);
        moveTo(part, name);
    }

    private void moveTo(Path part, String name) throws IOException {
        Files.move(part, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Those that a start must have in common with the training, or the cache does not fit. */
    private static List<String> options(String at, List<Path> jars) {
        return List.of(
                "-XX:AOTCache=" + at + "/" + CACHE,
                "-Xlog:aot=off",
                "-Xlog:cds=off",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Xmx96m",
                "--sun-misc-unsafe-memory-access=allow",
                "-Djava.util.logging.config.file=" + at + "/" + LOGGING,
                "-cp",
                jars.stream()
                        .map(jar -> at + "/" + jar.getFileName())
                        .collect(Collectors.joining(":")));
    }

    private void train(List<Path> jars) throws IOException, InterruptedException {
        Files.copy(
                classes.resolve(LOGGING),
                folder.resolve(LOGGING),
                StandardCopyOption.REPLACE_EXISTING);
        var part = folder.resolve("stand-ins.aot.part");
        var scratch = Files.createTempDirectory("stand-ins");
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:AOTCacheOutput=" + part);
        // a JVM with one compiler makes nothing of profiles
        command.add("-XX:+UnlockDiagnosticVMOptions");
        command.add("-XX:-AOTRecordTraining");
        command.addAll(options(folder.toString(), jars).stream()
                .filter(option -> !option.startsWith("-XX:AOTCache="))
                .toList());
        command.add(TrainingCluster.class.getName());
        command.add(scratch.toString());
        var training = new ProcessBuilder(command).redirectErrorStream(true).start();
        training.getOutputStream().close();
        var output = new String(training.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (training.waitFor() == 0 && Files.exists(part)) {
            moveTo(part, CACHE);
        } else {
            // they start without one, only later
            Files.deleteIfExists(part);
            Files.deleteIfExists(folder.resolve(CACHE));
            System.err.println("[sandbox] no AOT cache for the stand-ins:\n" + output);
        }
        try (var files = Files.walk(scratch)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
