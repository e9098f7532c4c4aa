package io.kjadm.core.lock;

import io.kjadm.core.host.HostFiles;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names a run of this program so that a later run on the same machine can tell whether it is over:
 * by process ID and the kernel's start time of that process ({@code proc_pid_stat(5)}), since
 * process IDs are used again.
 */
public final class NodeRun {

    private static final Pattern NAME = Pattern.compile("(\\d+)-(\\d+)");
    /**
     * Field 22; the fields are counted from 3 after the command's name, which may contain anything.
     */
    private static final int START_TIME = 22 - 3;

    private final HostFiles files;
    private final long pid;

    /**
     * @param pid of this process
     */
    public NodeRun(HostFiles files, long pid) {
        this.files = files;
        this.pid = pid;
    }

    /** This run's name. */
    public String name() {
        return "%d-%s".formatted(pid, startTime(String.valueOf(pid)).orElse("0"));
    }

    /** Whether a run of that name is over for certain; a name of another kind is not understood. */
    public boolean over(String name) {
        Matcher parts = NAME.matcher(name);
        return parts.matches()
                && startTime(parts.group(1)).filter(parts.group(2)::equals).isEmpty();
    }

    private Optional<String> startTime(String process) {
        return files.read(Path.of("/proc", process, "stat")).flatMap(stat -> {
            String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
            return fields.length > START_TIME ? Optional.of(fields[START_TIME]) : Optional.empty();
        });
    }
}
