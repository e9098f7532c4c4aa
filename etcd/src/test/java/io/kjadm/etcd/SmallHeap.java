package io.kjadm.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a program of the tests in a JVM with as little memory as input from elsewhere may take. */
public final class SmallHeap {

    /** For reading any file of 64 MiB. */
    public static final String LIMIT = "-Xmx32m";

    private SmallHeap() {}

    /**
     * Runs its {@code main}, which has to end well.
     *
     * @return what it printed, line by line
     */
    public static List<String> run(Class<?> program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                LIMIT,
                // the directories of the archives on the class path take a third of the heap
                "-Xmn6m",
                "-Xss512k",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(arguments));
        Process process = start(command);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said.lines().filter(line -> !line.startsWith("WARNING: ")).toList();
    }

    private static Process start(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.endsWith("JAVA_OPTIONS"));
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        return builder.start();
    }
}
