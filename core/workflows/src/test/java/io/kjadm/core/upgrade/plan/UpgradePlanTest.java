package io.kjadm.core.upgrade.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.UpgradeRule;
import io.kjadm.core.upgrade.check.ClusterScene;
import io.kjadm.core.upgrade.check.ClusterState.Component;
import io.kjadm.core.upgrade.check.ClusterState.Node;
import io.kjadm.core.value.KubernetesVersion;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

class UpgradePlanTest {

    private final ClusterScene scene = new ClusterScene();
    private List<String> ignored = List.of();
    private String first = "cp-1";

    private UpgradePlan plan() {
        return UpgradePlan.of(
                KubernetesVersion.of("v1.36.2"),
                List.of(new UpgradeCandidate("version", scene.target)),
                scene.facts(),
                new UpgradePlan.Setting(
                        first,
                        version -> ClusterConfiguration.defaults()
                                .withKubernetesVersion(version, false),
                        ignored));
    }

    private List<String> nodes() {
        return plan().steps().stream().map(PlannedCommand::node).distinct().toList();
    }

    private List<String> commands(String node) {
        return plan().steps().stream()
                .filter(step -> step.node().equals(node))
                .map(step -> step.on() + ": " + step.command())
                .toList();
    }

    /** Leaves the node with all of the target. */
    private void upgraded(String name) {
        scene.node(name, name.startsWith("cp"), "v1.37.0");
        scene.components.removeIf(component -> component.node().equals(name));
        scene.components.add(new Component("kube-apiserver", name, "v1.37.0"));
        scene.components.add(new Component("etcd", name, "3.7.0-0"));
    }

    // ---- steps

    @Test
    void theFirstNodeIsUpgradedWithTheCluster() {
        assertEquals(
                List.of(
                        "cp-1: kjadm upgrade apply v1.37.0",
                        "cp-1: kubectl --kubeconfig /etc/kubernetes/admin.conf drain cp-1 --ignore-daemonsets",
                        "cp-1: apt-get update && apt-get install -y --allow-change-held-packages kubelet='1.37.0-*' kubectl='1.37.0-*'",
                        "cp-1: systemctl daemon-reload && systemctl restart kubelet",
                        "cp-1: kubectl --kubeconfig /etc/kubernetes/admin.conf uncordon cp-1"),
                commands("cp-1"));
    }

    private void needPatch(String... nodes) {
        scene.patch(nodes);
    }

    private List<String> patchSteps() {
        return plan().steps().stream()
                .takeWhile(step -> step.command().startsWith("kjadm etcd upgrade"))
                .map(step -> step.on() + ": " + step.command())
                .toList();
    }

    @Test
    void aPatchReleaseOfEtcdComesFirstAndOnTheFirstNodeWithItsUpgrade() {
        needPatch("cp-2", "cp-3", "cp-1");
        assertEquals(
                List.of("cp-2: kjadm etcd upgrade 3.6.11", "cp-3: kjadm etcd upgrade 3.6.11"),
                patchSteps());
        assertTrue(plan().mayGoOn());
    }

    @Test
    void whereAnotherNodesMemberLeadsTheFirstNodeGetsThePatchReleaseBeforeIt() {
        needPatch("cp-1", "cp-2");
        assertEquals(
                List.of("cp-1: kjadm etcd upgrade 3.6.11", "cp-2: kjadm etcd upgrade 3.6.11"),
                patchSteps());
        needPatch("cp-1");
        assertEquals(List.of(), patchSteps());
    }

    @Test
    void otherNodesAreDrainedFromTheFirst() {
        assertEquals(
                List.of(
                        "worker-1: kjadm upgrade node",
                        "cp-1: kubectl --kubeconfig /etc/kubernetes/admin.conf drain worker-1 --ignore-daemonsets",
                        "worker-1: apt-get update && apt-get install -y --allow-change-held-packages kubelet='1.37.0-*' kubectl='1.37.0-*'",
                        "worker-1: systemctl daemon-reload && systemctl restart kubelet",
                        "cp-1: kubectl --kubeconfig /etc/kubernetes/admin.conf uncordon worker-1"),
                commands("worker-1"));
    }

    @Test
    void workersComeLastAndTheLeaderOfEtcdLastOfTheOthers() {
        assertEquals(List.of("cp-1", "cp-2", "cp-3", "worker-1"), nodes());
        scene.etcd.moveLeader(scene.etcd.leader(), scene.etcd.id("cp-2"));
        assertEquals(List.of("cp-1", "cp-3", "cp-2", "worker-1"), nodes());
        first = "cp-2";
        assertEquals(List.of("cp-2", "cp-1", "cp-3", "worker-1"), nodes());
    }

    @Test
    void aNodeThatHasEverythingIsPassedOver() {
        Stream.of("cp-1", "cp-2", "worker-1").forEach(this::upgraded);
        assertEquals(List.of("cp-1", "cp-3"), nodes());
        assertEquals(List.of("cp-1: kjadm upgrade apply v1.37.0"), commands("cp-1"));
    }

    @Test
    void aNodeWithAnOlderEtcdIsNotPassedOver() {
        upgraded("cp-2");
        scene.components.remove(new Component("etcd", "cp-2", "3.7.0-0"));
        scene.components.add(new Component("etcd", "cp-2", "3.5.32-0"));
        assertEquals(List.of("cp-2: kjadm upgrade node"), commands("cp-2"));
        scene.withEtcd = false;
        assertEquals(List.of(), commands("cp-2"));
    }

    @ParameterizedTest
    @CsvSource({
        "Ubuntu 24.04.2 LTS, apt-get",
        "Rocky Linux 10, dnf install -y kubelet-'1.37.0-*'",
        "Flatcar Container Linux, '# install kubelet and kubectl 1.37.0'"
    })
    void packagesAreInstalledAsTheSystemDoesIt(String system, String command) {
        scene.nodes.put(
                "worker-1", new Node("worker-1", false, Optional.empty(), "v1.36.2", system));
        assertTrue(
                commands("worker-1").get(2).contains(command),
                commands("worker-1").toString());
    }

    @ParameterizedTest
    @CsvSource({
        "v1.37.0, ''",
        "v1.38.0-rc.1, ' --allow-release-candidate-upgrades'",
        "v1.38.0-beta.0, ' --allow-experimental-upgrades'"
    })
    void theCommandAllowsThePreReleaseThatItNames(String version, String flag) {
        scene.target = KubernetesVersion.of(version);
        assertEquals(
                "cp-1: kjadm upgrade apply " + version + flag, commands("cp-1").getFirst());
    }

    // ---- components

    @Test
    void componentsAreListedInTheOrderOfKubeadm() {
        scene.components.add(new Component("CoreDNS", "", "v1.13.1"));
        List<String> changes = plan().upgrades().getFirst().changes().stream()
                .map(change -> "%s %s %s %s"
                        .formatted(change.name(), change.node(), change.from(), change.to()))
                .toList();
        assertEquals(
                List.of(
                        "kubelet cp-1 v1.36.2 v1.37.0",
                        "kubelet cp-2 v1.36.2 v1.37.0",
                        "kubelet cp-3 v1.36.2 v1.37.0",
                        "kubelet worker-1 v1.36.2 v1.37.0",
                        "kube-apiserver cp-1 v1.36.2 v1.37.0",
                        "kube-apiserver cp-2 v1.36.2 v1.37.0",
                        "kube-apiserver cp-3 v1.36.2 v1.37.0",
                        "kube-proxy  1.36.2 v1.37.0",
                        "CoreDNS  v1.13.1 v1.14.6",
                        "kjadm  v1.37.0 v1.37.0",
                        "etcd cp-1 3.6.8-0 3.7.0-0",
                        "etcd cp-2 3.6.8-0 3.7.0-0",
                        "etcd cp-3 3.6.8-0 3.7.0-0"),
                changes);
    }

    @Test
    void kubeletsThatAllHaveTheTargetAreNotListed() {
        Stream.of("cp-1", "cp-2", "cp-3", "worker-1").forEach(this::upgraded);
        assertTrue(plan().upgrades().getFirst().changes().stream()
                .noneMatch(UpgradePlan.Change::manual));
    }

    // ---- whether it may go on

    @Test
    void whatStopsIsToldFromWhatIsIgnored() {
        scene.notReady("cp-2");
        scene.notReady("worker-1");
        assertFalse(plan().mayGoOn());
        assertEquals(
                List.of(UpgradeRule.CONTROL_PLANE_NODES_READY, UpgradeRule.NODES_READY),
                plan().findings().stream().map(UpgradeFinding::rule).toList());
        assertEquals(1, plan().stopping().size());
        ignored = List.of("ControlPlaneNodesReady");
        assertTrue(plan().mayGoOn());
    }

    @Test
    void aClusterWithTheNewestVersionHasNothingToDo() {
        UpgradePlan nothing = UpgradePlan.nothing(KubernetesVersion.of("v1.37.0"));
        assertEquals(Optional.empty(), nothing.target());
        assertTrue(nothing.mayGoOn());
    }
}
