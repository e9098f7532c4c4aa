package io.kjadm.core.upgrade.check;

import static io.kjadm.core.upgrade.UpgradeRule.API_SERVERS;
import static io.kjadm.core.upgrade.UpgradeRule.CONTROLLER_MANAGER_LEASE;
import static io.kjadm.core.upgrade.UpgradeRule.CONTROL_PLANE_NODES_READY;
import static io.kjadm.core.upgrade.UpgradeRule.NODES_READY;
import static io.kjadm.core.upgrade.UpgradeRule.SCHEDULER_LEASE;
import static io.kjadm.etcd.Severity.SKIPPABLE;
import static io.kjadm.etcd.Severity.WARNING;

import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.check.ClusterState.ApiServer;
import io.kjadm.core.upgrade.check.ClusterState.Election;
import io.kjadm.core.upgrade.check.ClusterState.Node;
import io.kjadm.manifests.ControllerManagerPod;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Whether the components of the cluster work, seen without having them do any work. */
final class ClusterRules {

    /** The leader renews its Lease every 2 seconds, and another one takes it after 15. */
    static final Duration LEASE_AGE = Duration.ofSeconds(30);

    private ClusterRules() {}

    static List<UpgradeFinding> findings(ClusterState cluster) {
        List<UpgradeFinding> findings = new ArrayList<>();
        apiServers(cluster.apiServers()).ifPresent(findings::add);
        cluster.elections().forEach(election -> election(election).ifPresent(findings::add));
        String absent = notReady(cluster.nodes(), Node::controlPlane);
        if (!absent.isEmpty()) {
            findings.add(new UpgradeFinding(
                    CONTROL_PLANE_NODES_READY,
                    SKIPPABLE,
                    "some control-plane nodes are not ready: " + absent,
                    "while this one is upgraded the others carry the cluster",
                    "check what their kubelets report (kubectl describe node), then try again"));
        }
        String workers = notReady(cluster.nodes(), node -> !node.controlPlane());
        if (!workers.isEmpty()) {
            findings.add(new UpgradeFinding(
                    NODES_READY,
                    WARNING,
                    "some nodes are not ready: " + workers,
                    "there may be no node for their pods while others are drained",
                    "check what their kubelets report (kubectl describe node)"));
        }
        return findings;
    }

    private static Optional<UpgradeFinding> apiServers(List<ApiServer> servers) {
        String ailing = servers.stream()
                .filter(server -> server.problem().isPresent())
                .map(server -> "%s (%s): %s"
                        .formatted(server.node(), server.url(), server.problem().get()))
                .collect(Collectors.joining("; "));
        return ailing.isEmpty()
                ? Optional.empty()
                : Optional.of(new UpgradeFinding(
                        API_SERVERS,
                        SKIPPABLE,
                        "not every API server is ready: " + ailing,
                        "while this node's is restarted the others serve the cluster",
                        "see the log of kube-apiserver on these nodes (crictl logs)"));
    }

    private static Optional<UpgradeFinding> election(Election election) {
        if (election.age().filter(age -> age.compareTo(LEASE_AGE) < 0).isPresent()) {
            return Optional.empty();
        }
        String component = election.component();
        return Optional.of(new UpgradeFinding(
                component.equals(ControllerManagerPod.NAME)
                        ? CONTROLLER_MANAGER_LEASE
                        : SCHEDULER_LEASE,
                SKIPPABLE,
                "no %s is at work".formatted(component),
                election.age()
                        .map(age -> "Lease %s in kube-system was last renewed %d s ago"
                                .formatted(component, age.toSeconds()))
                        .orElse("there is no Lease %s in kube-system".formatted(component)),
                "see the log of %s on the control-plane nodes (crictl logs)".formatted(component)));
    }

    private static String notReady(List<Node> nodes, Predicate<Node> which) {
        return nodes.stream()
                .filter(which)
                .filter(node -> node.notReady().isPresent())
                .map(node -> "%s (%s)".formatted(node.name(), node.notReady().get()))
                .collect(Collectors.joining(", "));
    }
}
