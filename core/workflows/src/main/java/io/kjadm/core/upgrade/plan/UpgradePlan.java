package io.kjadm.core.upgrade.plan;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Images;
import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.check.ClusterState;
import io.kjadm.core.upgrade.check.ClusterState.Component;
import io.kjadm.core.upgrade.check.EtcdState;
import io.kjadm.core.upgrade.check.UpgradeChecklist;
import io.kjadm.core.upgrade.check.UpgradeFacts;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.etcd.Member;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.KubeProxyAddon;
import io.kjadm.manifests.SchedulerPod;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What an upgrade would change, what stands in its way, and how it is done.
 *
 * @param current  the version of the newest API server
 * @param upgrades to which versions it may go, oldest first; the last is the one that was checked
 * @param findings of that one
 * @param stopping those of them that stop it
 * @param steps    of that one, in order
 */
public record UpgradePlan(
        KubernetesVersion current,
        List<Upgrade> upgrades,
        List<UpgradeFinding> findings,
        List<UpgradeFinding> stopping,
        List<PlannedCommand> steps) {

    private static final String KUBELET = "kubelet";

    public UpgradePlan {
        upgrades = List.copyOf(upgrades);
        findings = List.copyOf(findings);
        stopping = List.copyOf(stopping);
        steps = List.copyOf(steps);
    }

    /** To one version. */
    public record Upgrade(UpgradeCandidate candidate, List<Change> changes) {

        public Upgrade {
            changes = List.copyOf(changes);
        }
    }

    /**
     * Of one component.
     *
     * @param node   where it runs; empty text for an addon and for what is the same everywhere
     * @param manual whether the operator upgrades it
     */
    public record Change(String name, String node, String from, String to, boolean manual) {}

    /**
     * What is planned with.
     *
     * @param node    the name of this node, which begins
     * @param cluster its configuration for a version, such as {@code v1.37.0}
     * @param ignored names of checks whose findings do not stop
     */
    public record Setting(
            String node,
            Function<String, ClusterConfiguration> cluster,
            Collection<String> ignored) {

        public Setting {
            ignored = List.copyOf(ignored);
        }
    }

    /** A cluster that has the newest version. */
    public static UpgradePlan nothing(KubernetesVersion current) {
        return new UpgradePlan(current, List.of(), List.of(), List.of(), List.of());
    }

    /**
     * The plan for these candidates.
     *
     * @param candidates at least one
     * @param facts      gathered on a control-plane node, for the last of the candidates
     */
    public static UpgradePlan of(
            KubernetesVersion current,
            List<UpgradeCandidate> candidates,
            UpgradeFacts facts,
            Setting setting) {
        ClusterState cluster = facts.cluster().orElseThrow();
        List<UpgradeFinding> findings = UpgradeChecklist.findings(facts);
        boolean withEtcd = facts.etcd().isPresent();
        KubernetesVersion target = candidates.getLast().version();
        return new UpgradePlan(
                current,
                candidates.stream()
                        .map(candidate -> new Upgrade(
                                candidate,
                                new Changes(cluster, setting.cluster(), candidate.version())
                                        .all(current, withEtcd)))
                        .toList(),
                findings,
                findings.stream()
                        .filter(finding -> finding.stops(false, setting.ignored()))
                        .toList(),
                UpgradeSteps.of(
                        cluster,
                        new UpgradeSteps.Plan(
                                target,
                                setting.node(),
                                facts.etcd().flatMap(UpgradePlan::leader),
                                Optional.of(new Changes(cluster, setting.cluster(), target))
                                        .filter(changes -> withEtcd)
                                        .map(Changes::etcdTag),
                                EtcdState.patch(facts.etcd()),
                                flag(target))));
    }

    /** What the command has to be told to accept that version. */
    public static String flag(KubernetesVersion target) {
        if (!target.isPreRelease()) {
            return "";
        }
        return target.preRelease().startsWith("rc")
                ? " --allow-release-candidate-upgrades"
                : " --allow-experimental-upgrades";
    }

    /** The version that was checked; empty if there is none to upgrade to. */
    public Optional<KubernetesVersion> target() {
        return upgrades.isEmpty()
                ? Optional.empty()
                : Optional.of(upgrades.getLast().candidate().version());
    }

    /** Whether the upgrade may begin. */
    public boolean mayGoOn() {
        return stopping.isEmpty();
    }

    private static Optional<String> leader(EtcdState etcd) {
        return etcd instanceof EtcdState.Seen(var members, String _, var _, var _)
                ? members.health().leader().map(Member::name)
                : Optional.empty();
    }

    /** From the components that run to those of one version, in kubeadm's order. */
    private record Changes(
            ClusterState cluster,
            Function<String, ClusterConfiguration> configurations,
            KubernetesVersion target) {

        ClusterConfiguration configuration() {
            return configurations.apply(target.text());
        }

        List<Change> all(KubernetesVersion current, boolean withEtcd) {
            List<Change> changes = new ArrayList<>(kubelets());
            Stream.of(ApiServerPod.NAME, ControllerManagerPod.NAME, SchedulerPod.NAME)
                    .forEach(name -> changes.addAll(of(name, target.text())));
            if (!configuration().proxyDisabled()) {
                changes.add(new Change(
                        KubeProxyAddon.NAME,
                        "",
                        current.text().substring(1),
                        target.text(),
                        false));
            }
            changes.addAll(of("CoreDNS", tag(images().coreDns())));
            changes.add(new Change(
                    "kjadm", "", KubernetesVersion.CURRENT.text(), target.text(), false));
            if (withEtcd) {
                changes.addAll(of(EtcdPod.NAME, etcdTag()));
            }
            return changes;
        }

        private List<Change> kubelets() {
            List<Change> kubelets = cluster.nodes().stream()
                    .map(node ->
                            new Change(KUBELET, node.name(), node.kubelet(), target.text(), true))
                    .toList();
            return kubelets.stream().allMatch(change -> change.from().equals(change.to()))
                    ? List.of()
                    : kubelets;
        }

        private List<Change> of(String name, String to) {
            return cluster.components().stream()
                    .filter(component -> component.name().equals(name))
                    .map((Component component) ->
                            new Change(name, component.node(), component.version(), to, false))
                    .toList();
        }

        private io.kjadm.manifests.ImageNames images() {
            return Images.of(configuration());
        }

        String etcdTag() {
            return images().etcdTag();
        }

        private static String tag(String image) {
            return image.substring(image.lastIndexOf(':') + 1);
        }
    }
}
