package io.kjadm.core.preflight.machine;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Mounts;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The machine's control groups.
 *
 * @param version     1 or 2
 * @param controllers those that can be used
 */
public record Cgroups(int version, Set<String> controllers) {

    private static final Path USUAL = Path.of("/sys/fs/cgroup");
    private static final String FREEZE = "cgroup.freeze";

    public Cgroups {
        controllers = Set.copyOf(controllers);
    }

    /** Looks at the mounts; empty if no cgroup file system is mounted. */
    static Optional<Cgroups> find(Mounts mounts, HostFiles files) {
        List<Mounts.Mount> all = mounts.all();
        Optional<Mounts.Mount> usual = all.stream()
                .filter(mount -> mount.target().equals(USUAL.toString()))
                .findFirst();
        // a tmpfs there carries the separate hierarchies of version 1, or a hybrid of both
        if (usual.isPresent()
                && usual.get().type().equals("tmpfs")
                && files.isDirectory(USUAL.resolve("memory"))) {
            return Optional.of(versionOne(files));
        }
        return usual.filter(mount -> !mount.type().equals("cgroup"))
                .or(() -> all.stream()
                        .filter(mount -> mount.type().equals("cgroup2"))
                        .findFirst())
                .map(mount -> versionTwo(Path.of(mount.target()), files))
                .or(() -> all.stream()
                        .filter(mount -> mount.type().equals("cgroup"))
                        .findFirst()
                        .map(mount -> versionOne(files)));
    }

    private static Cgroups versionTwo(Path root, HostFiles files) {
        Set<String> found =
                new HashSet<>(Arrays.asList(files.read(root.resolve("cgroup.controllers"))
                        .orElse("")
                        .strip()
                        .split("\\s+")));
        found.remove("");
        // device rules are programs there, not a controller that is listed
        found.add("devices");
        if (canFreeze(root, files)) {
            found.add("freezer");
        }
        return new Cgroups(2, found);
    }

    /** Every group but the root has the file; without any other group one is made for a moment. */
    private static boolean canFreeze(Path root, HostFiles files) {
        if (files.list(root).stream().anyMatch(group -> files.exists(group.resolve(FREEZE)))) {
            return true;
        }
        Path probe = root.resolve("kjadm-freezer-probe");
        files.createDirectory(probe, FileMode.OPEN_DIRECTORY);
        try {
            return files.exists(probe.resolve(FREEZE));
        } finally {
            files.delete(probe);
        }
    }

    /** Lines of name, hierarchy, number of groups, and 1 if enabled. */
    private static Cgroups versionOne(HostFiles files) {
        return new Cgroups(
                1,
                files.read(Path.of("/proc/cgroups"))
                        .orElse("")
                        .lines()
                        .filter(line -> !line.startsWith("#"))
                        .map(line -> line.strip().split("\\s+"))
                        .filter(fields -> fields.length == 4 && fields[3].equals("1"))
                        .map(fields -> fields[0])
                        .collect(Collectors.toSet()));
    }

    /** Controllers without which the kubelet does not run pods. */
    List<String> missing() {
        List<String> required = version == 2
                ? List.of("cpu", "cpuset", "devices", "freezer", "memory", "pids")
                : List.of("cpu", "cpuacct", "cpuset", "devices", "freezer", "memory", "pids");
        return required.stream().filter(name -> !controllers.contains(name)).toList();
    }

    /** Controllers that only some features need. */
    List<String> missingOptional() {
        List<String> optional =
                version == 2 ? List.of("hugetlb", "io") : List.of("hugetlb", "blkio");
        return optional.stream().filter(name -> !controllers.contains(name)).toList();
    }
}
