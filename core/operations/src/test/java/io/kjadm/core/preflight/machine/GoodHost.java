package io.kjadm.core.preflight.machine;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.ScriptedRunner;
import io.kjadm.core.net.ProxyEnvironment;
import io.kjadm.core.phase.Waiter;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** A machine on which every check passes, until a test spoils it. */
public final class GoodHost {

    public static final String KERNEL_OPTIONS = """
            # CONFIG_AUFS_FS is not set
            CONFIG_NAMESPACES=y
            CONFIG_NET_NS=y
            CONFIG_PID_NS=y
            CONFIG_IPC_NS=y
            CONFIG_UTS_NS=y
            CONFIG_CPUSETS=y
            CONFIG_MEMCG=y
            CONFIG_INET=y
            CONFIG_EXT4_FS=m
            CONFIG_PROC_FS=y
            CONFIG_NETFILTER_XT_TARGET_REDIRECT=m
            CONFIG_NETFILTER_XT_MATCH_COMMENT=m
            CONFIG_FAIR_GROUP_SCHED=y
            CONFIG_CGROUPS=y
            CONFIG_CGROUP_BPF=y
            CONFIG_CGROUP_PIDS=y
            CONFIG_CGROUP_SCHED=y
            CONFIG_CGROUP_CPUACCT=y
            CONFIG_CGROUP_DEVICE=y
            CONFIG_CGROUP_FREEZER=y
            """;

    public final MemoryFiles files = new MemoryFiles()
            .with("/proc/self/status", "Uid:\t0\t0\t0\t0\nCpus_allowed_list:\t0-1\n")
            .with("/proc/meminfo", "MemTotal: 4000000 kB\n")
            .with("/proc/swaps", "Filename Type Size\n")
            .with("/proc/sys/kernel/osrelease", "6.12.5\n")
            .with("/proc/sys/kernel/ostype", "Linux\n")
            .with("/proc/sys/net/ipv4/ip_forward", "1\n")
            .with("/proc/sys/net/ipv6/conf/default/forwarding", "1\n")
            .with("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n")
            .with("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory hugetlb pids\n")
            .with("/sys/fs/cgroup/system.slice/cgroup.freeze", "0\n")
            .with("/boot/config-6.12.5", KERNEL_OPTIONS);
    public final ScriptedRunner runner = new ScriptedRunner()
            .with("systemctl", "losetup", "mount", "cp")
            .answering("kubelet --version", "Kubernetes v1.36.1\n")
            .answering("systemctl show --property=LoadState kubelet", "LoadState=loaded\n")
            .answering("systemctl show --property=LoadState firewalld", "LoadState=not-found\n")
            .answering("systemctl is-enabled kubelet", "enabled\n");
    public final MemoryRuntime runtime = new MemoryRuntime();
    /** Why a port cannot be used, by port. */
    public final Map<Integer, String> usedPorts = new HashMap<>();

    final Map<String, String> environment = new HashMap<>();
    final Pauses pauses = new Pauses();
    public NameResolver names = host -> List.of(InetAddress.getLoopbackAddress());

    /** Another machine, whose ports are free and whose names nobody knows. */
    public static PreflightHost of(
            HostFiles files, CommandRunner runner, RuntimeConnector runtimes, Waiter waiter) {
        return new PreflightHost(
                files,
                runner,
                runtimes,
                new PreflightHost.Network(
                        (address, port) -> Optional.empty(),
                        name -> List.of(),
                        new ProxyEnvironment(Map.of())),
                waiter,
                KubernetesPaths.standard());
    }

    public PreflightHost ports() {
        return new PreflightHost(
                files,
                runner,
                runtime,
                new PreflightHost.Network(
                        (address, port) -> Optional.ofNullable(usedPorts.get(port)),
                        name -> names.resolve(name),
                        new ProxyEnvironment(environment)),
                pauses,
                KubernetesPaths.standard());
    }

    /** Counts pauses instead of making them. */
    public static final class Pauses implements Waiter {
        public final List<Duration> made = new ArrayList<>();

        @Override
        public <T> Optional<T> until(Await await, Supplier<Attempt<T>> question) {
            throw new IllegalStateException("no check waits for something: " + await);
        }

        @Override
        public void pause(String area, String reason, Duration duration) {
            made.add(duration);
        }

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }
    }
}
