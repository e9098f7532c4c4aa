package io.kjadm.core.auto;

import io.kjadm.core.host.HostFiles;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Where a directory really is. Names of devices may change with each boot, so a file system is known
 * by its UUID; one without is known by its type.
 *
 * @param fileSystem {@code UUID=…}, or its type
 * @param path       of the directory in the file system, whatever that is mounted at
 * @param mountPoint of the file system
 */
record DiskPlace(String fileSystem, String path, Path mountPoint) {

    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final Path UUIDS = Path.of("/dev/disk/by-uuid");

    /** Of {@code mountinfo} in {@code proc_pid_mountinfo(5)}. */
    private static final int ROOT = 3;

    private static final int POINT = 4;
    private static final int OPTIONS = 5;

    /**
     * A place as it is now.
     *
     * @param readOnly whether the file system takes no writes
     */
    record Found(DiskPlace place, boolean readOnly) {}

    private record Mount(
            String root, Path point, List<String> options, String type, String source) {

        static Optional<Mount> parse(String line) {
            List<String> fields = Arrays.asList(line.split(" "));
            int end = fields.indexOf("-");
            return end <= OPTIONS || fields.size() < end + 4
                    ? Optional.empty()
                    : Optional.of(new Mount(
                            plain(fields.get(ROOT)),
                            Path.of(plain(fields.get(POINT))),
                            List.of((fields.get(OPTIONS) + "," + fields.get(end + 3)).split(",")),
                            fields.get(end + 1),
                            plain(fields.get(end + 2))));
        }

        private static String plain(String field) {
            return field.replace("\\040", " ").replace("\\134", "\\");
        }
    }

    /** The directory may be missing: it would be made where the nearest one above it is. */
    static Found of(HostFiles files, Path directory) {
        Path above = directory;
        while (above.getParent() != null && !files.exists(above)) {
            above = above.getParent();
        }
        Path real = files.realPath(above).orElse(above).resolve(above.relativize(directory));
        Mount mount = new String(files.readBytes(TABLE).orElse(new byte[0]), StandardCharsets.UTF_8)
                .lines()
                .flatMap(line -> Mount.parse(line).stream())
                .filter(it -> real.startsWith(it.point()))
                // of two at one place the later one is seen
                .reduce((one, other) ->
                        other.point().getNameCount() >= one.point().getNameCount() ? other : one)
                .orElse(new Mount("/", Path.of("/"), List.of(), "unknown", ""));
        String path =
                Path.of(mount.root()).resolve(mount.point().relativize(real)).toString();
        return new Found(
                new DiskPlace(
                        uuid(files, Path.of(mount.source())).orElse(mount.type()),
                        path,
                        mount.point()),
                mount.options().contains("ro"));
    }

    private static Optional<String> uuid(HostFiles files, Path source) {
        Optional<Path> device = files.realPath(source);
        return device.isEmpty()
                ? Optional.empty()
                : files.list(UUIDS).stream()
                        .filter(uuid -> files.realPath(uuid).equals(device))
                        .map(uuid -> "UUID=" + uuid.getFileName())
                        .findFirst();
    }

    /** Whether it is the same directory of the same file system. */
    boolean is(DiskPlace other) {
        return fileSystem.equals(other.fileSystem) && path.equals(other.path);
    }
}
