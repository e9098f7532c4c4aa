package io.kjadm.core.host;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the kernel tells about the machine, read from {@code /proc}. */
public final class HostInfo {

    private static final Path SELF = Path.of("/proc/self/status");
    private static final Path KERNEL = Path.of("/proc/sys/kernel");

    private final HostFiles files;

    /** Reads with the given files. */
    public HostInfo(HostFiles files) {
        this.files = files;
    }

    /**
     * How many logical CPUs this process may use. A CPU quota of a container does not count: it
     * limits time, not the number of CPUs.
     */
    public OptionalInt cpus() {
        return field(SELF, "Cpus_allowed_list").stream()
                .mapToInt(HostInfo::countOf)
                .findFirst();
    }

    /** Counts a kernel list such as {@code 0-3,8}. */
    private static int countOf(String list) {
        int count = 0;
        for (String part : list.split(",")) {
            String[] ends = part.strip().split("-");
            count += ends.length == 1
                    ? 1
                    : Integer.parseInt(ends[1]) - Integer.parseInt(ends[0]) + 1;
        }
        return count;
    }

    /** Usable memory in MiB, rounded down. */
    public OptionalLong memoryMiB() {
        return field(Path.of("/proc/meminfo"), "MemTotal").stream()
                .mapToLong(value -> Long.parseLong(value.split(" ")[0]) / 1024)
                .findFirst();
    }

    /** Whether this process has the rights of the root user. */
    public boolean isPrivileged() {
        // real, effective, saved and file system user id
        return field(SELF, "Uid")
                .filter(ids -> ids.split("\\s+")[1].equals("0"))
                .isPresent();
    }

    private Optional<String> field(Path file, String name) {
        Matcher line = Pattern.compile("(?m)^" + Pattern.quote(name) + ":\\s*(.+)$")
                .matcher(files.read(file).orElse(""));
        return line.find() ? Optional.of(line.group(1).strip()) : Optional.empty();
    }

    /** The kernel's release, {@code 6.12.5-amd64} for example; empty text if unknown. */
    public String kernelRelease() {
        return kernel("osrelease");
    }

    /** The kernel's name, {@code Linux}; empty text if unknown. */
    public String kernelName() {
        return kernel("ostype");
    }

    /** The machine's host name as it is set, not lower-cased; empty text if unknown. */
    public String hostname() {
        return kernel("hostname");
    }

    /** The kernel's name of this boot; empty text if unknown. */
    public String bootId() {
        return kernel("random/boot_id");
    }

    private String kernel(String fact) {
        return files.read(KERNEL.resolve(fact)).orElse("").strip();
    }

    /** The devices and files in use for swapping. */
    public List<String> swaps() {
        return files.read(Path.of("/proc/swaps"))
                .orElse("")
                .lines()
                .skip(1)
                .filter(line -> !line.isBlank())
                .map(line -> line.split("\\s+")[0])
                .toList();
    }
}
