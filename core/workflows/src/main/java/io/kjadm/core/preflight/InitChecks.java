package io.kjadm.core.preflight;

import io.kjadm.core.check.Check;
import io.kjadm.core.config.ApiEndpoint;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ControlPlaneComponent;
import io.kjadm.core.config.Etcd;
import io.kjadm.core.config.ExternalEtcd;
import io.kjadm.core.config.InitConfiguration;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.machine.FileChecks;
import io.kjadm.core.preflight.machine.MachineChecks;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.core.preflight.machine.ProxyChecks;
import io.kjadm.core.value.Cidr;
import io.kjadm.core.value.IpAddresses;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.SchedulerPod;

import java.net.Inet6Address;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The checks of {@code init}, in the order they run. Batches are run
 * one after the other: {@link MachineChecks#privileged}, {@link #of}, {@link #imagePull}.
 */
public final class InitChecks {

    private static final List<String> STATIC_PODS =
            List.of(ApiServerPod.NAME, ControllerManagerPod.NAME, SchedulerPod.NAME, EtcdPod.NAME);

    /** Where controller manager and scheduler listen unless told otherwise. */
    private static final String LOOPBACK = "127.0.0.1";

    private InitChecks() {}

    /** The machine can become the first control-plane node of this cluster. */
    public static List<Check> of(
            PreflightHost host,
            InitConfiguration init,
            ClusterConfiguration cluster,
            Reporter out) {
        List<Check> checks = new ArrayList<>(controlPlane(host, init.localApiEndpoint(), cluster));
        checks.addAll(NodeChecks.common(
                host,
                init.nodeRegistration(),
                KubernetesVersion.parse(cluster.kubernetesVersion()),
                out));
        checks.addAll(NodeChecks.forwarding(
                uses(false, init.localApiEndpoint(), cluster),
                uses(true, init.localApiEndpoint(), cluster),
                host));
        // a dry run of init asks nothing outside the machine
        if (cluster.etcd() instanceof ExternalEtcd external && !init.dryRun()) {
            var http = new EtcdHttpGetter(external, host.files());
            checks.add(EtcdVersionCheck.of(external.httpEndpoints(), http, host.waiter()));
            checks.add(EtcdClusterCheck.of(external.httpEndpoints(), http::clusterId));
        }
        checks.addAll(
                etcd(host, cluster.etcd(), init.localApiEndpoint().advertiseAddress(), false));
        if (cluster.etcd() instanceof LocalEtcd local) {
            checks.add(FileChecks.etcdDataDir(local.dataDir(), host.files()));
        }
        return checks;
    }

    /** The images are there; the last batch, since it takes long. */
    public static List<Check> imagePull(PreflightHost host, ImagePulls pulls) {
        return List.of(RuntimeChecks.images(pulls, host.runtimes()));
    }

    /** What only control planes need, apart from etcd. */
    static List<Check> controlPlane(
            PreflightHost host, ApiEndpoint endpoint, ClusterConfiguration cluster) {
        List<Check> checks = new ArrayList<>();
        checks.add(MachineChecks.cpus(host.info()));
        checks.add(MachineChecks.memory(host.info()));
        checks.add(
                VersionChecks.kubernetes(cluster.kubernetesVersion(), KubernetesVersion.CURRENT));
        checks.add(MachineChecks.firewalld(
                host.services(), List.of(endpoint.bindPort(), NodeChecks.KUBELET_PORT)));
        checks.add(MachineChecks.port(
                bound(cluster.apiServer().component(), endpoint.advertiseAddress()),
                endpoint.bindPort(),
                host.network().ports()));
        checks.add(MachineChecks.port(
                bound(cluster.scheduler(), LOOPBACK),
                SchedulerPod.PORT,
                host.network().ports()));
        checks.add(MachineChecks.port(
                bound(cluster.controllerManager(), LOOPBACK),
                ControllerManagerPod.PORT,
                host.network().ports()));
        STATIC_PODS.forEach(
                pod -> checks.add(FileChecks.available(host.paths().manifest(pod), host.files())));
        checks.add(
                ProxyChecks.server(endpoint.advertiseAddress(), host.network().proxies()));
        checks.add(ProxyChecks.networks(
                cluster.networking().serviceSubnet(), host.network().proxies()));
        cluster.networking()
                .podSubnet()
                .ifPresent(pods ->
                        checks.add(ProxyChecks.networks(pods, host.network().proxies())));
        return checks;
    }

    /** The address that a component listens on: the one in its arguments, else its usual one. */
    private static String bound(ControlPlaneComponent component, String usual) {
        return component.extraArgs().stream()
                .filter(argument -> argument.name().equals("bind-address"))
                .map(Argument::value)
                .filter(address -> IpAddresses.parse(address).isPresent())
                .reduce((earlier, last) -> last)
                .orElse(usual);
    }

    /** Whether a family of addresses occurs anywhere in the cluster. */
    private static boolean uses(boolean ipv6, ApiEndpoint endpoint, ClusterConfiguration cluster) {
        Stream<Cidr> networks = Stream.concat(
                cluster.networking().serviceCidrs().stream(),
                cluster.networking().podCidrs().stream());
        return networks.anyMatch(cidr -> cidr.isIpv6() == ipv6)
                || endpoint.address() instanceof Inet6Address == ipv6;
    }

    /**
     * Ports for a stacked etcd, or the operator's files for an external one.
     *
     * @param address that etcd listens on
     */
    static List<Check> etcd(
            PreflightHost host, Etcd etcd, String address, boolean certificatesComeLater) {
        return switch (etcd) {
            case LocalEtcd _ ->
                List.of(
                        MachineChecks.port(
                                address, EtcdPorts.CLIENT, host.network().ports()),
                        MachineChecks.port(
                                address, EtcdPorts.PEER, host.network().ports()));
            case ExternalEtcd _ when certificatesComeLater -> List.of();
            case ExternalEtcd external ->
                Stream.of(external.caFile(), external.certFile(), external.keyFile())
                        .<Path>flatMap(Optional::stream)
                        .map(file -> FileChecks.exists(
                                "ExternalEtcdClientCertificates", file, host.files()))
                        .toList();
        };
    }
}
