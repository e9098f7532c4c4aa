package io.kjadm.core.host;

import io.kjadm.core.error.HostException;
import io.kjadm.core.value.UnmountFlag;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is mounted on this machine. */
public final class Mounts {

    private static final Path TABLE = Path.of("/proc/mounts");
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");

    private final HostFiles files;
    private final CommandRunner runner;

    /** Reads the table with {@code files} and unmounts with {@code runner}. */
    public Mounts(HostFiles files, CommandRunner runner) {
        this.files = files;
        this.runner = runner;
    }

    /**
     * One mounted file system.
     *
     * @param target where it is mounted, as text: what anybody may have mounted need not be a path
     *        to this program
     * @param type   of the file system, {@code cgroup2} for example
     */
    public record Mount(String target, String type) {}

    /** Everything that is mounted, in the order it was. */
    public List<Mount> all() {
        // the kernel's table may be longer than texts that people write
        return files
                .readBytes(TABLE)
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .stream()
                .flatMap(String::lines)
                .map(line -> line.split(" "))
                .filter(fields -> fields.length >= 3)
                .map(fields -> new Mount(unescaped(fields[1]), fields[2]))
                .toList();
    }

    /** The table writes space, tab, newline and backslash as octal numbers. */
    private static String unescaped(String field) {
        return OCTAL.matcher(field)
                .replaceAll((MatchResult octal) -> Matcher.quoteReplacement(
                        String.valueOf((char) Integer.parseInt(octal.group(1), 8))));
    }

    /** Targets below a directory (not the directory itself), the latest mount first. */
    public List<Path> below(Path directory) {
        String prefix = directory.endsWith("/") ? "/" : directory + "/";
        return all().reversed().stream()
                .map(Mount::target)
                .filter(target -> target.startsWith(prefix) && !target.equals(prefix))
                .map(Path::of)
                .toList();
    }

    /**
     * Unmounts one target.
     *
     * @return a warning if it is not mounted (any more)
     * @throws HostException if it stays mounted, as where the flags contradict each other
     */
    public Optional<String> unmount(Path target, Collection<UnmountFlag> flags) {
        Set<UnmountFlag> wanted = flags.isEmpty() ? Set.of() : EnumSet.copyOf(flags);
        if (wanted.contains(UnmountFlag.MNT_EXPIRE)
                && (wanted.contains(UnmountFlag.MNT_FORCE)
                        || wanted.contains(UnmountFlag.MNT_DETACH))) {
            throw new HostException(
                    "cannot unmount " + target,
                    "MNT_EXPIRE excludes MNT_FORCE and MNT_DETACH",
                    "leave out one of them in unmountFlags of the reset configuration");
        }
        List<String> command = new ArrayList<>(List.of("umount"));
        wanted.forEach(flag -> command.addAll(arguments(flag)));
        command.add(target.toString());
        CommandRunner.Output output = runner.run(command, LIMIT);
        if (output.ok()) {
            return Optional.empty();
        }
        String reason = output.stderr().strip();
        if (reason.contains("not mounted")) {
            return Optional.of("%s is not mounted any more".formatted(target));
        }
        throw new HostException(
                "cannot unmount " + target,
                reason,
                "stop what uses it, or set unmountFlags in the reset configuration");
    }

    /**
     * What says the same to the {@code umount} program. {@code MNT_EXPIRE} unmounts only what
     * nobody uses, and needs two calls to the kernel; one run of the program fails on a mount in
     * use as well.
     */
    private static List<String> arguments(UnmountFlag flag) {
        return switch (flag) {
            case MNT_FORCE -> List.of("--force");
            case MNT_DETACH -> List.of("--lazy");
            case MNT_EXPIRE -> List.of();
            case UMOUNT_NOFOLLOW -> List.of("--no-canonicalize");
        };
    }
}
