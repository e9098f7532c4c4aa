package io.kjadm.core.upgrade.plan;

import io.kjadm.core.upgrade.EtcdPatch;
import io.kjadm.core.upgrade.check.ClusterState;
import io.kjadm.core.upgrade.check.ClusterState.Component;
import io.kjadm.core.upgrade.check.ClusterState.Node;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.etcd.Member;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.EtcdPod;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The commands of an upgrade, node by node: control planes before workers, as no kubelet may be
 * newer than its API server, and the node whose etcd member leads after the others, so that the
 * leadership is handed over once.
 */
final class UpgradeSteps {

    private static final String KUBECTL = "kubectl --kubeconfig /etc/kubernetes/admin.conf ";

    private final ClusterState cluster;
    private final Plan plan;

    /**
     * What decides on the steps.
     *
     * @param first   the node that begins
     * @param leader  the node whose etcd member leads, if it is known
     * @param etcdTag what every etcd member is to run; empty if it is left as it is
     * @param patch   the patch release that members get first, if they need one
     * @param flag    what has to be added to the command that upgrades the first node
     */
    record Plan(
            KubernetesVersion target,
            String first,
            Optional<String> leader,
            Optional<String> etcdTag,
            Optional<EtcdPatch> patch,
            String flag) {}

    private UpgradeSteps(ClusterState cluster, Plan plan) {
        this.cluster = cluster;
        this.plan = plan;
    }

    /** What is left to do; a node that has all of the target is passed over. */
    static List<PlannedCommand> of(ClusterState cluster, Plan plan) {
        UpgradeSteps steps = new UpgradeSteps(cluster, plan);
        return Stream.concat(
                        plan.patch().stream().flatMap(steps::patchFirst),
                        steps.ordered().flatMap(node -> steps.of(node).stream()))
                .toList();
    }

    /** On every node that needs it, but on the first one where that begins with it anyway. */
    private Stream<PlannedCommand> patchFirst(EtcdPatch patch) {
        List<String> nodes = patch.members().stream().map(Member::label).toList();
        return nodes.stream()
                .filter(node -> !(node.equals(plan.first()) && node.equals(nodes.getLast())))
                .map(node -> new PlannedCommand(
                        node,
                        node,
                        "upgrade etcd to patch release %s, which etcd %s requires of every member"
                                .formatted(patch.version(), patch.target()),
                        patch.command()));
    }

    private Stream<Node> ordered() {
        return cluster.nodes().stream()
                .sorted(Comparator.comparing((Node node) -> !isFirst(node))
                        .thenComparing(node -> !node.controlPlane())
                        .thenComparing(node ->
                                plan.leader().filter(node.name()::equals).isPresent())
                        .thenComparing(Node::name));
    }

    private boolean isFirst(Node node) {
        return node.name().equals(plan.first());
    }

    private List<PlannedCommand> of(Node node) {
        boolean kubeletBehind = KubernetesVersion.parse(node.kubelet())
                .filter(kubelet -> kubelet.compareTo(plan.target()) == 0)
                .isEmpty();
        List<PlannedCommand> steps = new ArrayList<>();
        if (isFirst(node)) {
            steps.add(on(
                    node,
                    "upgrade the control plane of this node, and what the cluster shares",
                    "kjadm upgrade apply %s%s".formatted(plan.target(), plan.flag())));
        } else if (node.controlPlane() ? controlPlaneBehind(node) : kubeletBehind) {
            steps.add(on(
                    node,
                    node.controlPlane()
                            ? "upgrade the control plane of this node"
                            : "get the kubelet's new configuration",
                    "kjadm upgrade node"));
        }
        if (kubeletBehind) {
            kubelet(node, steps);
        }
        return steps;
    }

    private void kubelet(Node node, List<PlannedCommand> steps) {
        steps.add(here(
                node,
                "move the pods to other nodes",
                KUBECTL + "drain %s --ignore-daemonsets".formatted(node.name())));
        steps.add(on(node, "install the new kubelet", packages(node)));
        steps.add(on(node, "start it", "systemctl daemon-reload && systemctl restart kubelet"));
        steps.add(here(node, "allow pods on the node again", KUBECTL + "uncordon " + node.name()));
    }

    private boolean controlPlaneBehind(Node node) {
        boolean apiServer = runs(node, ApiServerPod.NAME)
                .flatMap(tag -> KubernetesVersion.parse(tag.replace('_', '+')))
                .filter(version -> version.compareTo(plan.target()) == 0)
                .isPresent();
        boolean etcd = plan.etcdTag().isEmpty() || runs(node, EtcdPod.NAME).equals(plan.etcdTag());
        return !apiServer || !etcd;
    }

    private Optional<String> runs(Node node, String component) {
        return cluster.components().stream()
                .filter(one -> one.node().equals(node.name()) && one.name().equals(component))
                .map(Component::version)
                .findFirst();
    }

    /** The packages of pkgs.k8s.io, by what the kubelet says the system is. */
    private String packages(Node node) {
        String version = plan.target().text().substring(1);
        String system = node.system().toLowerCase(Locale.ROOT);
        if (Stream.of("debian", "ubuntu").anyMatch(system::contains)) {
            return "apt-get update && apt-get install -y --allow-change-held-packages kubelet='%s-*' kubectl='%s-*'"
                    .formatted(version, version);
        }
        if (Stream.of("red hat", "fedora", "centos", "rocky", "alma", "oracle", "amazon")
                .anyMatch(system::contains)) {
            return "dnf install -y kubelet-'%s-*' kubectl-'%s-*' --disableexcludes=kubernetes"
                    .formatted(version, version);
        }
        return "# install kubelet and kubectl %s as this system installs programs"
                .formatted(version);
    }

    private static PlannedCommand on(Node node, String purpose, String command) {
        return new PlannedCommand(node.name(), node.name(), purpose, command);
    }

    private PlannedCommand here(Node node, String purpose, String command) {
        return new PlannedCommand(node.name(), plan.first(), purpose, command);
    }
}
