package io.kjadm.core.snapshot;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.snapshot.Verification.Level;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What became of the last snapshots, in a file for the textfile collector of Prometheus'
 * node_exporter. A run that fails keeps what is told of the last one that did not.
 *
 * <p>A file that cannot be written is warned of, and makes no run fail: a snapshot that is stored is
 * as good without it, and what follows it, such as removing old ones, has to go on. The time of the
 * last success then stays what it was, so that whoever watches it hears of it.
 *
 * <p>The folder often belongs to the account of node_exporter, so no link in it is followed, and of
 * an earlier file only lines that this class writes are kept.
 */
public final class SnapshotMetrics {

    private static final String PREFIX = "kjadm_etcd_backup_";
    private static final String VALUE = "(?<value>[0-9]{1,19}(\\.[0-9]{3})?)";

    /** In the order of the file. */
    private enum Metric {
        LAST_SUCCESS(
                "last_success_timestamp_seconds",
                "\\{kind=\"full\"}",
                "When the last snapshot in the store that was verified as requested was started."),
        COVERED("covered_revision", "", "The revision of that snapshot."),
        BYTES("bytes", "", "Its size in the store."),
        DURATION("duration_seconds", "", "How long it took, with its verification."),
        VERIFIED(
                "verified_timestamp_seconds",
                "\\{level=\"[a-z]{1,20}\"}",
                "When a snapshot was last verified at that level, and was good."),
        LAST_RUN("last_run_timestamp_seconds", "", "When the last run ended, successful or not."),
        LAST_RUN_SUCCESS("last_run_success", "", "1 if it succeeded, 0 if it failed.");

        private final String word;
        private final Pattern line;
        private final String help;

        /** @param labels pattern of them */
        Metric(String word, String labels, String help) {
            this.word = word;
            this.line = Pattern.compile("(?<series>" + PREFIX + word + labels + ") " + VALUE);
            this.help = help;
        }

        String series(String labels) {
            return PREFIX + word + labels;
        }

        boolean has(String series) {
            return series.equals(PREFIX + word) || series.startsWith(PREFIX + word + "{");
        }
    }

    private final HostFiles files;
    private final Path file;
    private final Reporter out;

    /** @param file its name has to end with {@code .prom} for the collector to read it */
    public SnapshotMetrics(HostFiles files, Path file, Reporter out) {
        this.files = files;
        this.file = file;
        this.out = out;
    }

    /** Notes a run that has succeeded. */
    public void succeeded(
            SnapshotManifest manifest, Optional<Level> verified, Duration took, Instant now) {
        note("snapshot %s is stored".formatted(manifest.name()), values -> {
            put(values, manifest, took);
            verified.ifPresent(level -> put(
                    values,
                    Metric.VERIFIED,
                    "{level=\"%s\"}".formatted(level.word()),
                    now.getEpochSecond()));
            end(values, 1, now);
        });
    }

    private static void put(Map<String, String> values, SnapshotManifest manifest, Duration took) {
        put(values, Metric.LAST_SUCCESS, "{kind=\"full\"}", manifest.taken().getEpochSecond());
        put(values, Metric.COVERED, "", manifest.plain().content().revision());
        put(values, Metric.BYTES, "", manifest.stored().bytes());
        values.put(
                Metric.DURATION.series(""),
                String.format(Locale.ROOT, "%.3f", took.toMillis() / 1000.0));
    }

    /** Notes a run that has failed. */
    public void failed(Instant now) {
        note("it still shows the previous run", values -> end(values, 0, now));
    }

    private void note(String allTheSame, Consumer<Map<String, String>> run) {
        try {
            Map<String, String> values = read();
            run.accept(values);
            files.writeHere(
                    file, text(values).getBytes(StandardCharsets.UTF_8), FileMode.WORLD_READABLE);
        } catch (HostException e) {
            out.warn(
                    "the metrics of this run were not written, and %s: %s. Next: check %s, its directory and its disk; the next run writes it again"
                            .formatted(allTheSame, e.problem().facts(), file));
        }
    }

    private static void end(Map<String, String> values, long success, Instant now) {
        put(values, Metric.LAST_RUN, "", now.getEpochSecond());
        put(values, Metric.LAST_RUN_SUCCESS, "", success);
    }

    private static String text(Map<String, String> values) {
        StringBuilder text = new StringBuilder();
        for (Metric metric : Metric.values()) {
            String name = metric.series("");
            StringBuilder series = new StringBuilder();
            values.forEach((key, value) -> {
                if (metric.has(key)) {
                    series.append(key).append(' ').append(value).append('\n');
                }
            });
            if (!series.isEmpty()) {
                text.append("# HELP %s %s\n# TYPE %s gauge\n".formatted(name, metric.help, name))
                        .append(series);
            }
        }
        return text.toString();
    }

    private static void put(Map<String, String> values, Metric metric, String labels, long value) {
        values.put(metric.series(labels), Long.toString(value));
    }

    /** What an earlier run has noted. */
    private Map<String, String> read() {
        Map<String, String> values = new LinkedHashMap<>();
        Path path = file.toAbsolutePath();
        files.readBelow(path.getParent(), path.getFileName())
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .orElse("")
                .lines()
                .forEach(line -> {
                    for (Metric metric : Metric.values()) {
                        Matcher known = metric.line.matcher(line);
                        if (known.matches()) {
                            values.put(known.group("series"), known.group("value"));
                        }
                    }
                });
        return values;
    }
}
