package io.kjadm.core.config;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.net.AdvertiseAddress;
import io.kjadm.core.net.HostFacts;
import io.kjadm.core.value.IpAddresses;
import io.kjadm.core.value.KubernetesVersion;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** The defaults that depend on the machine: name, socket, address, and the newest version. */
record DynamicDefaults(HostFacts facts, LoadOptions options, Consumer<String> warnings) {

    /** Name and socket; taints are for the control plane only, unless they were chosen. */
    NodeRegistration nodeRegistration(NodeRegistration given, boolean controlPlane) {
        NodeRegistration node =
                given.withName(nodeName(given.name())).withCriSocket(criSocket(given.criSocket()));
        return controlPlane && node.taints().isEmpty()
                ? node.withTaints(List.of(Taint.CONTROL_PLANE))
                : node;
    }

    String criSocket(String given) {
        if (!given.isEmpty()) {
            return given;
        }
        return options.criSocket().orElseGet(() -> new CriSockets(facts::answers).detect());
    }

    /** The endpoint with an address other nodes can reach, as far as one is needed. */
    ApiEndpoint endpoint(ApiEndpoint given) {
        String address = new AdvertiseAddress(facts::network).choose(given.advertiseAddress());
        if (address.equals(AdvertiseAddress.UNSPECIFIED)) {
            warnings.accept("no default route leads to an address of this machine");
        }
        if (options.needsAddress()) {
            refuseUnreachable(address);
        }
        return given.withAdvertiseAddress(address);
    }

    /** @param asking whether a server may be asked what a label stands for */
    ClusterConfiguration version(ClusterConfiguration cluster, boolean asking) {
        String text = offline(cluster.kubernetesVersion());
        ClusterConfiguration resolved = new VersionResolver(
                        asking ? facts::fetch : DynamicDefaults::withoutNetwork, warnings)
                .resolve(cluster.withKubernetesVersion(text, false));
        if (options.deploys()) {
            VersionResolver.requireDeployable(resolved.version());
        }
        return resolved;
    }

    private static String withoutNetwork(URI url) throws IOException {
        throw new IOException("a dry run asks no server");
    }

    private String nodeName(String given) {
        String name = given.isEmpty() ? facts.hostname() : given;
        String usable = name.strip().toLowerCase(Locale.ROOT);
        if (usable.isEmpty()) {
            throw new HostException(
                    "this node has no name",
                    "the host name is empty",
                    "give one with nodeRegistration.name or --node-name");
        }
        return usable;
    }

    private static void refuseUnreachable(String address) {
        InetAddress parsed = IpAddresses.parse(address).orElseThrow();
        if (!parsed.isLoopbackAddress() && !AdvertiseAddress.isGlobalUnicast(parsed)) {
            throw new UsageException(
                    "advertise address %s cannot be used".formatted(address),
                    "other nodes cannot reach an API server there",
                    "set localAPIEndpoint.advertiseAddress (--apiserver-advertise-address) to an "
                            + "address of this machine");
        }
    }

    private String offline(String version) {
        boolean label = KubernetesVersion.parse(version).isEmpty() && !version.startsWith("ci/");
        KubernetesVersion own = KubernetesVersion.CURRENT;
        return label && !options.lookUpVersion()
                ? "v%d.%d.0".formatted(own.major(), own.minor())
                : version;
    }
}
