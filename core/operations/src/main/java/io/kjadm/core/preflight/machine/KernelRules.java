package io.kjadm.core.preflight.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What a kernel has to be and have. */
final class KernelRules {

    /** Long-term releases, and everything since 6. */
    private static final Pattern MAINTAINED =
            Pattern.compile("(?:5\\.4|5\\.10|5\\.15).*|(?:[6-9]|[1-9][0-9]+)\\..*");

    private static final List<Option> REQUIRED = options(
            "NAMESPACES",
            "NET_NS",
            "PID_NS",
            "IPC_NS",
            "UTS_NS",
            "CPUSETS",
            "MEMCG",
            "INET",
            "EXT4_FS",
            "PROC_FS",
            "NETFILTER_XT_TARGET_REDIRECT|IP_NF_TARGET_REDIRECT",
            "NETFILTER_XT_MATCH_COMMENT",
            "FAIR_GROUP_SCHED");
    private static final List<Option> REQUIRED_V1 = options(
            "CGROUPS",
            "CGROUP_CPUACCT",
            "CGROUP_DEVICE",
            "CGROUP_FREEZER",
            "CGROUP_PIDS",
            "CGROUP_SCHED");
    private static final List<Option> REQUIRED_V2 =
            options("CGROUPS", "CGROUP_BPF", "CGROUP_PIDS", "CGROUP_SCHED");
    private static final List<Option> OPTIONAL = options(
            "OVERLAY_FS|OVERLAYFS_FS",
            "AUFS_FS",
            "BLK_DEV_DM",
            "CFS_BANDWIDTH",
            "SECCOMP",
            "SECCOMP_FILTER",
            "CGROUP_HUGETLB");

    private KernelRules() {}

    /** An option under its present name, and those it had before. */
    record Option(List<String> names) {
        boolean isIn(KernelConfig config) {
            return names.stream().anyMatch(config::has);
        }

        String name() {
            return "CONFIG_" + names.getFirst();
        }
    }

    private static List<Option> options(String... names) {
        return List.of(names).stream()
                .map(name -> new Option(List.of(name.split("\\|"))))
                .toList();
    }

    static boolean isMaintained(String release) {
        return MAINTAINED.matcher(release).matches();
    }

    static List<Option> required(int cgroupVersion) {
        List<Option> all = new ArrayList<>(REQUIRED);
        all.addAll(cgroupVersion == 2 ? REQUIRED_V2 : REQUIRED_V1);
        return all;
    }

    static List<Option> optional() {
        return OPTIONAL;
    }
}
