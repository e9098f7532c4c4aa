package io.kjadm.core.preflight;

import io.kjadm.core.check.Check;
import io.kjadm.core.config.NodeRegistration;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.machine.FileChecks;
import io.kjadm.core.preflight.machine.InstalledKubelet;
import io.kjadm.core.preflight.machine.MachineChecks;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.core.preflight.machine.SystemCheck;
import io.kjadm.core.value.KubernetesVersion;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks of every machine that gets a kubelet. */
public final class NodeChecks {

    static final int KUBELET_PORT = 10250;
    private static final Path IPV4_FORWARDING = Path.of("/proc/sys/net/ipv4/ip_forward");
    private static final Path IPV6_FORWARDING =
            Path.of("/proc/sys/net/ipv6/conf/default/forwarding");

    private NodeChecks() {}

    /** Runtime, programs, system and kubelet; the version is empty where it is not known yet. */
    static List<Check> common(
            PreflightHost host,
            NodeRegistration node,
            Optional<KubernetesVersion> controlPlane,
            Reporter out) {
        InstalledKubelet kubelet = new InstalledKubelet(host.runner());
        return List.of(
                RuntimeChecks.ready(host.runtimes(), node.criSocket()),
                RuntimeChecks.version(host.runtimes(), node.criSocket()),
                MachineChecks.swap(host.info()),
                MachineChecks.program("losetup", host.runner()),
                MachineChecks.program("mount", host.runner()),
                MachineChecks.program("cp", host.runner()),
                SystemCheck.of(host, kubelet, out),
                MachineChecks.hostname(node.name(), host.network().names()),
                VersionChecks.kubelet(kubelet, controlPlane),
                MachineChecks.service("kubelet", host.services()),
                MachineChecks.port(KUBELET_PORT, host.network().ports()));
    }

    /** What an upgrade asks of a machine that is a node already: its runtime and its kernel. */
    public static List<Check> system(PreflightHost host, NodeRegistration node, Reporter out) {
        return List.of(
                RuntimeChecks.version(host.runtimes(), node.criSocket()),
                SystemCheck.of(host, new InstalledKubelet(host.runner()), out));
    }

    /** Forwarding is on for the families in use. */
    static List<Check> forwarding(boolean ipv4, boolean ipv6, PreflightHost host) {
        Stream<Path> first = ipv4 ? Stream.of(IPV4_FORWARDING) : Stream.empty();
        Stream<Path> second = ipv6 ? Stream.of(IPV6_FORWARDING) : Stream.empty();
        return Stream.concat(first, second)
                .map(path -> FileChecks.settingOn(path, host.files()))
                .toList();
    }
}
