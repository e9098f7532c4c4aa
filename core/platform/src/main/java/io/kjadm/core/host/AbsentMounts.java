package io.kjadm.core.host;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * File systems that are to be mounted at a directory, or above it, and are not: by {@code fstab(5)}
 * and by mount units of systemd ({@code systemd.mount(5)}). What lies at their place then is not
 * what they hold.
 */
public final class AbsentMounts {

    private static final Path FSTAB = Path.of("/etc/fstab");
    private static final Path MOUNTS = Path.of("/proc/self/mounts");
    private static final Path OWN_UNITS = Path.of("/etc/systemd/system");
    private static final List<Path> UNITS = Stream.of(
                    OWN_UNITS.toString(),
                    "/run/systemd/system",
                    "/run/systemd/generator",
                    "/usr/lib/systemd/system")
            .map(Path::of)
            .toList();
    private static final String WHERE = "Where=";

    private AbsentMounts() {}

    /** Where they are to be mounted. */
    public static List<String> of(HostFiles files, Path directory) {
        return of(files, directory, UNITS);
    }

    /**
     * The same of those that somebody has set up on this machine: distributions have units for
     * {@code /tmp} and others that are not used everywhere.
     */
    public static List<String> setUpHere(HostFiles files, Path directory) {
        return of(files, directory, List.of(OWN_UNITS));
    }

    private static List<String> of(HostFiles files, Path directory, List<Path> units) {
        Path real = files.realPath(directory).orElse(directory);
        Set<Path> mounted = points(files.read(MOUNTS).orElse("")).collect(Collectors.toSet());
        return Stream.concat(points(files.read(FSTAB).orElse("")), points(files, units))
                .filter(point -> point.getNameCount() > 0)
                .filter(point -> real.startsWith(point) || directory.startsWith(point))
                .filter(point -> !isMounted(files, point, mounted))
                .map(Path::toString)
                .distinct()
                .sorted()
                .toList();
    }

    /** The kernel lists where a link leads that fstab names. */
    private static boolean isMounted(HostFiles files, Path point, Set<Path> mounted) {
        return mounted.contains(point)
                || files.realPath(point).filter(mounted::contains).isPresent();
    }

    /** The second field of each line; {@code \040} is a space. */
    private static Stream<Path> points(String table) {
        return table.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(line -> line.split("\\s+"))
                .filter(fields -> fields.length > 1 && fields[1].startsWith("/"))
                .map(fields -> Path.of(fields[1].replace("\\040", " ")).normalize());
    }

    private static Stream<Path> points(HostFiles files, List<Path> units) {
        return units.stream()
                .flatMap(directory -> files.list(directory).stream())
                .filter(path -> path.toString().endsWith(".mount"))
                .flatMap(path -> files.read(path).stream())
                .flatMap(String::lines)
                .map(String::strip)
                .filter(line -> line.startsWith(WHERE + "/"))
                .map(line -> Path.of(line.substring(WHERE.length())).normalize());
    }
}
