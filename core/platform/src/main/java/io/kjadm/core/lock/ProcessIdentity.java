package io.kjadm.core.lock;

import io.kjadm.core.host.HostFiles;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names a run of this program so that a later run on the same machine can tell whether it is over:
 * by process ID and the kernel's start time of that process ({@code proc_pid_stat(5)}), since
 * process IDs are used again, and by where those count: another machine of the same name, or
 * another container on this one, has processes of its own.
 *
 * @param pid of this process
 */
record ProcessIdentity(HostFiles files, long pid) {

    private static final Pattern NAME = Pattern.compile("(\\d+)-(\\d+)-(\\w+-\\d+)");
    /**
     * Field 22; the fields are counted from 3 after the command's name, which may contain anything.
     */
    private static final int START_TIME = 22 - 3;
    /** The first process of a machine, or of a container. */
    private static final String FIRST = "1";

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** This run's name. */
    public String name() {
        return "%d-%s-%s".formatted(pid, startTime(String.valueOf(pid)).orElse("0"), where());
    }

    /**
     * Whether a run of that name is over for certain. One from elsewhere, before the last boot
     * too, is not known here, and a name of another kind is not understood.
     */
    public boolean over(String name) {
        Matcher parts = NAME.matcher(name);
        return parts.matches()
                && parts.group(3).equals(where())
                && startTime(parts.group(1)).filter(parts.group(2)::equals).isEmpty();
    }

    /** The boot, and when the first process began that is seen from here. */
    private String where() {
        String boot = files.read(BOOT_ID).map(id -> id.split("-")[0].strip()).orElse("0");
        return boot + "-" + startTime(FIRST).orElse("0");
    }

    private Optional<String> startTime(String process) {
        return files.read(Path.of("/proc", process, "stat")).flatMap(stat -> {
            String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
            return fields.length > START_TIME ? Optional.of(fields[START_TIME]) : Optional.empty();
        });
    }
}
