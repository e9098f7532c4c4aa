package io.kjadm.core.upgrade.check;

import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.addon.InstalledDns;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ControlPlaneComponent;
import io.kjadm.core.config.Images;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.upgrade.check.ClusterState.ApiServer;
import io.kjadm.core.upgrade.check.ClusterState.Component;
import io.kjadm.core.upgrade.check.ClusterState.Dns;
import io.kjadm.core.upgrade.check.ClusterState.Election;
import io.kjadm.core.upgrade.check.ClusterState.Node;
import io.kjadm.core.value.GoBoolean;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.ImageVersion;
import io.kjadm.manifests.KubeSystem;
import io.kjadm.manifests.ManifestException;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.SchedulerPod;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Asks the API server what an upgrade has to know of the cluster. Writes nothing.
 *
 * @param others a client with the same identity at another API server
 */
record ClusterStateReader(
        KubeApi api, Function<URI, KubeApi> others, KubeCalls calls, Waiter waiter) {

    static final String AREA = "upgrade/health";
    private static final String CONTROL_PLANE_LABEL = "node-role.kubernetes.io/control-plane";
    private static final List<String> STATIC_PODS =
            List.of(ApiServerPod.NAME, ControllerManagerPod.NAME, SchedulerPod.NAME, EtcdPod.NAME);

    /** The version that the API server reports. */
    Optional<KubernetesVersion> version() {
        try {
            return Optional.ofNullable(
                            ManifestYaml.readObject(api.raw("/version")).get("gitVersion"))
                    .flatMap(text -> KubernetesVersion.parse(text.toString()));
        } catch (KubeApiException | ManifestException e) {
            return Optional.empty();
        }
    }

    /** The newest version among the API servers, by their images; empty if none tells one. */
    Optional<KubernetesVersion> newestApiServer() {
        return pods(ApiServerPod.NAME)
                .map(ClusterStateReader::component)
                .flatMap(server ->
                        KubernetesVersion.parse(server.version().replace('_', '+')).stream())
                .max(Comparator.naturalOrder());
    }

    ClusterState read(ClusterConfiguration next) {
        List<Pod> pods = STATIC_PODS.stream().flatMap(this::pods).toList();
        List<Component> components =
                new ArrayList<>(pods.stream().map(ClusterStateReader::component).toList());
        Optional<InstalledDns> installed = Optional.empty();
        Dns dns = Dns.NONE;
        if (!next.dns().disabled()) {
            try {
                InstalledDns found =
                        calls.repeat(AREA, "read CoreDNS", () -> InstalledDns.read(api));
                installed = Optional.of(found);
                dns = dns(found, next);
            } catch (ClusterException e) {
                dns = new Dns(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(e.problem()));
            }
        }
        installed
                .flatMap(InstalledDns::image)
                .ifPresent(image -> components.add(new Component("CoreDNS", "", tag(image))));
        return new ClusterState(
                nodes(),
                components,
                apiServers(pods),
                new LeaseReader(api, calls, waiter).elections(next),
                dns);
    }

    private List<Node> nodes() {
        return calls
                .repeat(
                        AREA,
                        "list the nodes",
                        () -> api.list(io.fabric8.kubernetes.api.model.Node.class, "", Map.of()))
                .stream()
                .map(ClusterStateReader::node)
                .sorted(Comparator.comparing(Node::name))
                .toList();
    }

    private static Node node(io.fabric8.kubernetes.api.model.Node node) {
        Map<String, String> labels = node.getMetadata().getLabels();
        var status = node.getStatus();
        var info = status == null ? null : status.getNodeInfo();
        Stream<NodeCondition> conditions =
                status == null ? Stream.empty() : status.getConditions().stream();
        Optional<NodeCondition> ready = conditions
                .filter(condition -> "Ready".equals(condition.getType()))
                .findFirst();
        boolean isReady =
                ready.filter(found -> "True".equals(found.getStatus())).isPresent();
        return new Node(
                node.getMetadata().getName(),
                labels != null && labels.containsKey(CONTROL_PLANE_LABEL),
                isReady
                        ? Optional.empty()
                        : Optional.of(ready.map(ClusterStateReader::reason)
                                .orElse("its kubelet has reported nothing")),
                info == null ? "" : text(info.getKubeletVersion()),
                info == null ? "" : text(info.getOsImage()));
    }

    private static String reason(NodeCondition ready) {
        String reason = text(ready.getReason());
        return reason.isEmpty() ? "Ready is " + ready.getStatus() : reason;
    }

    private Stream<Pod> pods(String component) {
        return calls
                .repeat(
                        AREA,
                        "list the pods of " + component,
                        () -> api.list(
                                Pod.class,
                                KubeSystem.NAMESPACE,
                                Map.of("component", component, "tier", "control-plane")))
                .stream()
                .sorted(Comparator.comparing(pod -> pod.getMetadata().getName()));
    }

    private static Component component(Pod pod) {
        return new Component(
                name(pod),
                nodeOf(pod),
                pod.getSpec().getContainers().stream()
                        .findFirst()
                        .map(container -> tag(container.getImage()))
                        .orElse(""));
    }

    private static String name(Pod pod) {
        return pod.getMetadata().getLabels().get("component");
    }

    /** A mirror pod is called after its node. */
    private static String nodeOf(Pod pod) {
        String node = pod.getSpec().getNodeName();
        return node == null ? pod.getMetadata().getName().substring(name(pod).length() + 1) : node;
    }

    private static String tag(String image) {
        return image.substring(image.lastIndexOf(':') + 1);
    }

    private List<ApiServer> apiServers(List<Pod> pods) {
        return pods.stream()
                .filter(pod -> name(pod).equals(ApiServerPod.NAME))
                .flatMap(pod -> url(pod).stream()
                        .map(url -> new ApiServer(nodeOf(pod), url, notReady(url))))
                .toList();
    }

    private static Optional<URI> url(Pod pod) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        return Optional.ofNullable(annotations)
                .map(all -> all.get(ApiServerPod.ENDPOINT_ANNOTATION))
                .map(endpoint -> URI.create("https://" + endpoint));
    }

    private Optional<String> notReady(URI server) {
        try {
            others.apply(server).raw("/readyz");
            return Optional.empty();
        } catch (KubeApiException | KjadmException e) {
            return Optional.of(e.getMessage());
        }
    }

    private static Dns dns(InstalledDns installed, ClusterConfiguration next) {
        return new Dns(
                installed.ownCorefile(),
                installed.version(),
                ImageVersion.ofRelease(Images.of(next).coreDns()),
                Optional.empty());
    }

    private static String text(String text) {
        return text == null ? "" : text;
    }

    /** Reads the Leases by which components show that one of their instances works. */
    private record LeaseReader(KubeApi api, KubeCalls calls, Waiter waiter) {

        /** Two times the interval in which a leader renews its Lease, and some. */
        private static final Duration UNTIL_RENEWED = Duration.ofSeconds(5);

        /** Of the components that have one. */
        List<Election> elections(ClusterConfiguration cluster) {
            List<Election> elections = new ArrayList<>();
            if (elects(cluster.controllerManager())) {
                elections.add(election(ControllerManagerPod.NAME));
            }
            if (elects(cluster.scheduler())) {
                elections.add(election(SchedulerPod.NAME));
            }
            return elections;
        }

        private static boolean elects(ControlPlaneComponent component) {
            return component.extraArg("leader-elect").flatMap(GoBoolean::parse).orElse(true);
        }

        /**
         * A Lease carries the time of its holder's clock. Where that does not go like this one, it is
         * seen whether the Lease is renewed.
         */
        private Election election(String component) {
            Optional<Instant> first = renewed(component);
            Optional<Duration> age = first.map(time -> Duration.between(time, waiter.now()));
            if (age.filter(old -> old.abs().compareTo(ClusterRules.LEASE_AGE) >= 0)
                    .isPresent()) {
                waiter.pause(
                        ClusterStateReader.AREA,
                        "to see whether %s renews its Lease".formatted(component),
                        UNTIL_RENEWED);
                if (!renewed(component).equals(first)) {
                    age = Optional.of(Duration.ZERO);
                }
            }
            return new Election(component, age.map(Duration::abs));
        }

        private Optional<Instant> renewed(String component) {
            return calls.repeat(
                            ClusterStateReader.AREA,
                            "read Lease " + component,
                            () -> api.get(Lease.class, KubeSystem.NAMESPACE, component))
                    .map(LockRecord::renewed);
        }
    }
}
