package io.kjadm.cli;

import io.kjadm.core.config.CommandFlags;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.timing.Timings;
import io.kjadm.core.timing.TimingsFile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * {@code --timings FILE}: notes where the time of a run goes, and writes it when the run has ended,
 * also when it failed. In a dry run the file is written all the same: it is no change of the node.
 */
final class TimingsOutput implements AutoCloseable {

    private final String command;
    private final Optional<Path> file;
    private final Reporter out;
    private final Instant began;
    private final Timings timings;
    private boolean succeeded;

    private TimingsOutput(String command, Optional<Path> file, Reporter out) {
        this.command = command;
        this.file = file;
        this.out = out;
        // read only on demand: the management classes take their time to load
        Duration age = file.isEmpty()
                ? Duration.ZERO
                : Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime());
        this.began = Instant.now().minus(age);
        this.timings = file.isEmpty() ? Timings.none() : Timings.begun(System::nanoTime, age);
    }

    /**
     * What the flag asks for.
     *
     * @throws UsageException if no file can be written there
     */
    static TimingsOutput of(String command, CommandFlags flags, Reporter out) {
        Optional<Path> file = flags.path(Flag.TIMINGS);
        file.ifPresent(TimingsOutput::check);
        return new TimingsOutput(command, file, out);
    }

    private static void check(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        String why = Files.isDirectory(file)
                ? "it is a directory"
                : folder == null || !Files.isDirectory(folder)
                        ? "there is no directory " + folder
                        : "";
        if (!why.isEmpty()) {
            throw new UsageException(
                    "no timings can be written to " + file,
                    why,
                    "name a file in a directory that exists");
        }
    }

    Timings timings() {
        return timings;
    }

    /** The run came to its end. */
    void succeeded() {
        succeeded = true;
    }

    @Override
    public void close() {
        file.ifPresent(path -> {
            Map<String, Object> about = new LinkedHashMap<>();
            about.put("command", command);
            about.put("version", ProgramVersion.current().version());
            about.put("began", began.toString());
            about.put("seconds", TimingsFile.seconds(Duration.between(began, Instant.now())));
            about.put("succeeded", succeeded);
            peakResidentBytes().ifPresent(bytes -> about.put("peakResidentBytes", bytes));
            try {
                Files.writeString(path, TimingsFile.text(about, timings.spans()));
            } catch (IOException e) {
                out.warn("the timings of this run could not be written: " + e.getMessage());
            }
        });
    }

    /** The most memory this process had at a time, where the system tells (proc(5)). */
    private static OptionalLong peakResidentBytes() {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .findFirst();
        } catch (IOException | UncheckedIOException e) {
            return OptionalLong.empty();
        }
    }
}
