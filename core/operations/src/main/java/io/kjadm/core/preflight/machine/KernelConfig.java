package io.kjadm.core.preflight.machine;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * The options the running kernel was built with.
 *
 * @param options value by name without {@code CONFIG_}; {@code y} is built in, {@code m} a module
 */
public record KernelConfig(Map<String, String> options) {

    private static final String PREFIX = "CONFIG_";
    private static final Duration LIMIT = Duration.ofSeconds(20);

    public KernelConfig {
        options = Map.copyOf(options);
    }

    /**
     * Finds the options; the module that shows them is loaded for a moment if nothing else does.
     */
    static Optional<KernelConfig> find(String release, HostFiles files, CommandRunner runner) {
        return read(release, files).or(() -> withModule(release, files, runner));
    }

    private static Optional<KernelConfig> read(String release, HostFiles files) {
        return places(release).stream()
                .filter(files::exists)
                .findFirst()
                .map(place -> parse(text(place, files.readBytes(place).orElse(new byte[0]))));
    }

    private static List<Path> places(String release) {
        return List.of(
                Path.of("/proc/config.gz"),
                Path.of("/boot/config-" + release),
                Path.of("/usr/src/linux-" + release, ".config"),
                Path.of("/usr/src/linux/.config"),
                Path.of("/usr/lib/modules", release, "config"),
                Path.of("/usr/lib/ostree-boot/config-" + release),
                Path.of("/usr/lib/kernel/config-" + release),
                Path.of("/usr/src/linux-headers-" + release, ".config"),
                Path.of("/lib/modules", release, "build/.config"));
    }

    private static Optional<KernelConfig> withModule(
            String release, HostFiles files, CommandRunner runner) {
        try {
            if (!runner.run(List.of("modprobe", "configs"), LIMIT).ok()) {
                return Optional.empty();
            }
            Optional<KernelConfig> found = read(release, files);
            runner.run(List.of("modprobe", "-r", "configs"), LIMIT);
            return found;
        } catch (HostException noModules) {
            return Optional.empty();
        }
    }

    private static String text(Path place, byte[] content) {
        if (!place.toString().endsWith(".gz")) {
            return new String(content, StandardCharsets.UTF_8);
        }
        try (GZIPInputStream unpacked = new GZIPInputStream(new ByteArrayInputStream(content))) {
            return new String(unpacked.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new HostException("cannot read " + place, Causes.words(e), "", e);
        }
    }

    static KernelConfig parse(String text) {
        Map<String, String> options = new HashMap<>();
        text.lines()
                .map(String::strip)
                .filter(line -> line.startsWith(PREFIX) && line.contains("="))
                .forEach(line -> {
                    int equals = line.indexOf('=');
                    options.put(
                            line.substring(PREFIX.length(), equals), line.substring(equals + 1));
                });
        return new KernelConfig(options);
    }

    /** Whether an option is built in or a module. */
    boolean has(String option) {
        String value = options.getOrDefault(option, "n");
        return value.equals("y") || value.equals("m");
    }
}
