package io.kjadm.core.upgrade.check;

import io.kjadm.etcd.Problem;
import io.kjadm.manifests.Corefile;
import io.kjadm.manifests.ImageVersion;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The cluster as its API server tells it.
 *
 * @param nodes      in the order of their names
 * @param components what runs where
 */
public record ClusterState(
        List<Node> nodes,
        List<Component> components,
        List<ApiServer> apiServers,
        List<Election> elections,
        Dns dns) {

    public ClusterState {
        nodes = List.copyOf(nodes);
        components = List.copyOf(components);
        apiServers = List.copyOf(apiServers);
        elections = List.copyOf(elections);
    }

    /**
     * A node.
     *
     * @param notReady why it is not ready, if it is not
     * @param kubelet  the version that its kubelet reports
     * @param system   the operating system that its kubelet reports
     */
    public record Node(
            String name,
            boolean controlPlane,
            Optional<String> notReady,
            String kubelet,
            String system) {}

    /**
     * A component of the control plane, or an addon.
     *
     * @param name    {@code kube-apiserver} for example
     * @param node    where it runs; empty text for an addon
     * @param version its image's tag
     */
    public record Component(String name, String node, String version) {}

    /**
     * An API server, asked by itself.
     *
     * @param problem why it is not ready, if it is not
     */
    public record ApiServer(String node, URI url, Optional<String> problem) {}

    /**
     * The Lease by which the instances of a component find out who of them works.
     *
     * @param component {@code kube-scheduler} for example
     * @param age       how long ago it was renewed; empty if there is none
     */
    public record Election(String component, Optional<Duration> age) {}

    /**
     * The name service.
     *
     * @param corefile  the one that somebody wrote or changed
     * @param installed the release that runs; empty if there is none, or one's own build
     * @param wanted    the release that is to be installed; empty if it is one's own build
     * @param problem   why it cannot be told which it is
     */
    public record Dns(
            Optional<Corefile> corefile,
            Optional<ImageVersion> installed,
            Optional<ImageVersion> wanted,
            Optional<Problem> problem) {

        /** A cluster without one. */
        static final Dns NONE =
                new Dns(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }
}
