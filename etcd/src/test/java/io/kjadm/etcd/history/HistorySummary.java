package io.kjadm.etcd.history;

import io.kjadm.etcd.EtcdVersion;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;

/**
 * One recording in figures, a line of a file of tab-separated values.
 *
 * @param operation  what was done to the cluster
 * @param etcd       the version of its members
 * @param operations of all clients
 * @param violations of any rule
 * @param open       writes without an answer
 * @param resolved   those of them that the members' logs explain
 * @param seconds    how long the clients worked
 */
record HistorySummary(
        String operation,
        String etcd,
        int operations,
        int violations,
        long open,
        long resolved,
        double seconds,
        long seed) {

    /** Where summary and records are, {@code -Dkjadm.history.folder}. */
    static final Path FOLDER =
            Path.of(System.getProperty("kjadm.history.folder", "target/histories"));

    private static final String NAMES = String.join(
            "\t",
            "operation",
            "etcd",
            "histories",
            "operations",
            "violations",
            "open",
            "resolved",
            "seconds",
            "seed");

    static HistorySummary of(
            String operation, EtcdVersion etcd, Recording recording, int violations) {
        long open = Recording.open(recording.history());
        return new HistorySummary(
                operation,
                etcd.toString(),
                recording.history().size(),
                violations,
                open,
                open - Recording.open(recording.resolved()),
                recording.seconds(),
                recording.seed());
    }

    /** Adds it to {@code summary.tsv}. */
    void addTo(Path folder) throws IOException {
        Files.createDirectories(folder);
        Path file = folder.resolve("summary.tsv");
        if (!Files.exists(file)) {
            Files.write(file, List.of(NAMES));
        }
        String line = String.format(
                Locale.ROOT,
                "%s\t%s\t1\t%d\t%d\t%d\t%d\t%.1f\t%d",
                operation,
                etcd,
                operations,
                violations,
                open,
                resolved,
                seconds,
                seed);
        Files.write(file, List.of(line), StandardOpenOption.APPEND);
    }

    String text() {
        return String.format(
                Locale.ROOT,
                "%s, etcd %s: %d operations in %.1f s (%d open, %d resolved), %d violations, seed %d",
                operation,
                etcd,
                operations,
                seconds,
                open,
                resolved,
                violations,
                seed);
    }
}
