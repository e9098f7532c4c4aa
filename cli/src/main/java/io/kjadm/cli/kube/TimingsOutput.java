package io.kjadm.cli.kube;

import io.kjadm.cli.console.ProgramVersion;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.timing.TimingsFile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * {@code --timings FILE}: where the time of a run went, also of one that failed. In a dry run the
 * file is written all the same: it is no change of the node.
 */
public record TimingsOutput(Path file) {

    /**
     * What the flag asks for.
     *
     * @throws UsageException if no file can be written there
     */
    static Optional<TimingsOutput> of(CommandFlags flags) {
        Optional<Path> file = flags.path(Flag.TIMINGS);
        file.ifPresent(TimingsOutput::check);
        return file.map(TimingsOutput::new);
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

    /**
     * Writes the file.
     *
     * @throws IOException if it cannot be written
     */
    void write(RunSummary run) throws IOException {
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("command", run.command());
        about.put("version", ProgramVersion.current().version());
        about.put("began", run.began().toString());
        about.put("seconds", TimingsFile.seconds(run.duration()));
        about.put("succeeded", run.failure().isEmpty());
        peakResidentBytes().ifPresent(bytes -> about.put("peakResidentBytes", bytes));
        Files.writeString(file, TimingsFile.text(about, run.spans()));
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
