package io.kjadm.core.preflight;

import io.kjadm.core.check.Check;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Discovery;
import io.kjadm.core.config.FileDiscovery;
import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.config.JoinControlPlane;
import io.kjadm.core.config.TokenDiscovery;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.machine.FileChecks;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.core.preflight.machine.ProxyChecks;
import io.kjadm.core.value.IpAddresses;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The checks of {@code join}, in the order they run: {@link #of} before
 * anything is known of the cluster; {@link #controlPlane} after its configuration was read, and
 * then {@link InitChecks#imagePull}.
 */
public final class JoinChecks {

    private JoinChecks() {}

    /** The machine can become a node. */
    public static List<Check> of(PreflightHost host, JoinConfiguration join, Reporter out) {
        List<Check> checks = new ArrayList<>();
        checks.add(FileChecks.available(host.paths().kubeletConf(), host.files()));
        checks.add(FileChecks.available(host.paths().bootstrapKubeletConf(), host.files()));
        checks.addAll(NodeChecks.common(host, join.nodeRegistration(), Optional.empty(), out));
        if (join.controlPlane().isEmpty()) {
            checks.add(FileChecks.available(join.caCertPath(), host.files()));
        }
        apiServerHost(join.discovery()).ifPresent(name -> {
            checks.add(ProxyChecks.server(name, host.network().proxies()));
            Optional<InetAddress> address = IpAddresses.parse(name);
            boolean ipv6 = address.filter(Inet6Address.class::isInstance).isPresent();
            checks.addAll(NodeChecks.forwarding(address.isPresent() && !ipv6, ipv6, host));
        });
        return checks;
    }

    /** A file may name any server, so only a token's endpoint is known this early. */
    private static Optional<String> apiServerHost(Discovery discovery) {
        return switch (discovery) {
            case TokenDiscovery token -> Optional.of(token.apiServerEndpoint().host());
            case FileDiscovery _ -> Optional.empty();
        };
    }

    /**
     * The machine can become one more control-plane node of this cluster. Whether data in etcd's
     * directory is in the way depends on the member list, which {@code check-etcd} reads before
     * anything of etcd is touched.
     */
    public static List<Check> controlPlane(
            PreflightHost host, JoinControlPlane join, ClusterConfiguration cluster) {
        List<Check> checks =
                new ArrayList<>(InitChecks.controlPlane(host, join.localApiEndpoint(), cluster));
        checks.addAll(InitChecks.etcd(
                host,
                cluster.etcd(),
                join.localApiEndpoint().advertiseAddress(),
                join.certificateKey().isPresent()));
        return checks;
    }
}
