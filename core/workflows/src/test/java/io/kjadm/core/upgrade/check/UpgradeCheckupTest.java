package io.kjadm.core.upgrade.check;

import static io.kjadm.core.upgrade.check.UpgradeLab.MANIFESTS;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.kjadm.core.config.Images;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.upgrade.InstalledNode;
import io.kjadm.core.upgrade.VersionPolicy.PreReleases;
import io.kjadm.core.upgrade.check.ClusterState.Component;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.core.value.Timeouts;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.RpcKind;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The facts that are gathered of a cluster in memory, and what the rules make of them. */
class UpgradeCheckupTest {

    private final UpgradeLab lab = new UpgradeLab();

    private void pulled() {
        lab.init.runtime.images.addAll(
                Images.all(lab.stored().cluster().withKubernetesVersion("v1.37.0", false)));
    }

    @Test
    void ofAHealthyClusterOnlyTheOneVoterIsTold() {
        pulled();
        assertEquals("QUORUM_MARGIN WARNING", lab.told(), lab::text);
    }

    @Test
    void aRemovedFlagInThisNodesFileOfTheKubeletIsNamed() {
        pulled();
        String file = "/var/lib/kubelet/kubeadm-flags.env";
        lab.init.files.with(
                file, "KUBELET_KUBEADM_ARGS=\"--containerd=/run/containerd.sock --v=2\"\n");
        assertEquals("QUORUM_MARGIN WARNING, REMOVED_FLAG SKIPPABLE", lab.told());
        assertTrue(lab.text().contains(file), lab::text);
    }

    @Test
    void nothingIsWrittenAnywhere() {
        var files = lab.init.contents();
        List<String> writes = lab.api.writes();
        lab.told();
        assertEquals(files, lab.init.contents());
        assertEquals(writes, lab.api.writes());
        assertEquals(List.of(), lab.etcd.changes());
        assertEquals(List.of(), lab.init.runtime.pulls);
    }

    /** Five faults at once, each seen where it is. */
    @Test
    void fiveFaultsAreAllNamed() {
        pulled();
        lab.etcd.alarm("NOSPACE");
        lab.renewed("kube-scheduler", lab.waiter.now().minusSeconds(60));
        lab.api.patch(Node.class, "", "cp-1", node -> {
            Node changed = new NodeBuilder(node).build();
            changed.getStatus().getConditions().getFirst().setStatus("False");
            return changed;
        });
        lab.init.files.delete(Path.of(MANIFESTS + "kube-controller-manager.yaml"));
        lab.probes.freeBytes = 1 << 20;
        assertEquals(
                "SCHEDULER_LEASE SKIPPABLE, CONTROL_PLANE_NODES_READY SKIPPABLE, "
                        + "QUORUM_MARGIN WARNING, ALARMS MANDATORY, "
                        + "STATIC_POD_MANIFEST SKIPPABLE, "
                        + "FREE_SPACE SKIPPABLE, FREE_SPACE SKIPPABLE",
                lab.told());
        assertEquals(
                Set.of(
                        "/etc/kubernetes/manifests/kube-controller-manager.yaml",
                        "/etc/kubernetes/tmp",
                        "/var/lib/etcd"),
                Named.files(lab.text()));
    }

    /** The etcd of a kubeadm 1.36 is too old for the one of 1.37; the upgrade begins with that. */
    @Test
    void aPatchReleaseOfEtcdThatComesFirstIsToldAndItsImageIsAmongThoseThatAreNeeded() {
        pulled();
        lab.etcd = SimulatedCluster.ofVoters(1, "3.6.8");
        assertEquals("QUORUM_MARGIN WARNING, PATCH_FIRST WARNING, IMAGES WARNING", lab.told());
        assertHasLine(
                "etcd gets a patch release first: etcd 3.6.8 → 3.6.11 on cp-1: etcd 3.7.0 requires 3.6.11 of every member; 'kjadm upgrade apply' and 'kjadm upgrade node' do this on their own node; on the others run 'kjadm etcd upgrade 3.6.11'",
                lab.text());
        assertHasLine(
                "these images will be pulled: registry.k8s.io/etcd:3.6.11-0; pull them now to save the time: kjadm config images pull",
                lab.text());
    }

    @Test
    void aTagThatTheOperatorHasSetIsNotChangedOnTheWay() {
        UpgradeLab pinned = new UpgradeLab("etcd: {local: {imageTag: 3.7.0-0}}\n");
        pinned.etcd = SimulatedCluster.ofVoters(1, "3.6.8");
        assertEquals("QUORUM_MARGIN WARNING, PATCH_FIRST MANDATORY, IMAGES WARNING", pinned.told());
    }

    @Test
    void aTagThatKeepsEtcdAtTheMinorBeforeIsTold() {
        UpgradeLab pinned = new UpgradeLab("etcd: {local: {imageTag: 3.6.14-0}}\n");
        assertEquals("ETCD_VERSION WARNING, QUORUM_MARGIN WARNING, IMAGES WARNING", pinned.told());
    }

    // ---- the cluster

    @Test
    void whatRunsWhereIsToldByThePods() {
        ClusterState cluster = lab.facts().cluster().orElseThrow();
        assertEquals(
                List.of(
                        new Component("kube-apiserver", "cp-1", "v1.36.2"),
                        new Component("kube-controller-manager", "cp-1", "v1.36.2"),
                        new Component("kube-scheduler", "cp-1", "v1.36.2"),
                        new Component("etcd", "cp-1", "3.6.11-0"),
                        new Component("CoreDNS", "", "v1.14.6")),
                cluster.components());
    }

    @Test
    void theVersionOfTheClusterIsThatOfItsNewestApiServer() {
        assertEquals(
                KubernetesVersion.of("v1.36.2"), lab.checkup().clusterVersion(Timeouts.DEFAULTS));
        lab.apiServer("cp-2", "192.0.2.12");
        assertEquals(
                KubernetesVersion.of("v1.37.0"), lab.checkup().clusterVersion(Timeouts.DEFAULTS));
    }

    @Test
    void everyApiServerIsAskedByItself() {
        pulled();
        lab.apiServer("cp-2", "192.0.2.12");
        lab.unreachable.add("192.0.2.12");
        assertEquals("API_SERVERS SKIPPABLE, QUORUM_MARGIN WARNING", lab.told());
        assertHasLine(
                "not every API server is ready: cp-2 (https://192.0.2.12:6443): made to be UNREACHABLE: while this node's is restarted the others serve the cluster; see the log of kube-apiserver on these nodes (crictl logs)",
                lab.text());
    }

    @Test
    void aLeaseOfAClockThatGoesWrongIsSeenToBeRenewed() {
        pulled();
        lab.renewed("kube-scheduler", lab.waiter.now().minusSeconds(600));
        lab.waiter.after(
                Duration.ofSeconds(2),
                () -> lab.renewed("kube-scheduler", lab.waiter.now().minusSeconds(600)));
        assertEquals("QUORUM_MARGIN WARNING", lab.told());
    }

    @Test
    void aComponentThatElectsNobodyNeedsNoLease() {
        UpgradeLab alone = new UpgradeLab(
                "scheduler: {extraArgs: [{name: leader-elect, value: \"false\"}]}\n");
        alone.renewed("kube-scheduler", alone.waiter.now().minusSeconds(600));
        assertEquals("QUORUM_MARGIN WARNING, IMAGES WARNING", alone.told());
    }

    @Test
    void settingsOfTheClusterAreComparedWithTheTarget() {
        UpgradeLab gated = new UpgradeLab(
                "scheduler: {extraArgs: [{name: feature-gates, value: ComponentSLIs=true}]}\n");
        assertEquals("QUORUM_MARGIN WARNING, REMOVED_GATE SKIPPABLE, IMAGES WARNING", gated.told());
    }

    // ---- etcd

    @Test
    void anEtcdThatDoesNotAnswerIsAFinding() {
        pulled();
        lab.probes.unanswered = Optional.of(EtcdCallException.refused(
                RpcKind.READ, RpcCode.UNAVAILABLE, "connection refused", "member list"));
        assertEquals("ETCD MANDATORY", lab.told());
    }

    @Test
    void anEtcdThatIsLeftAloneIsNotLookedAt() {
        pulled();
        lab.withEtcd = false;
        lab.etcd.alarm("NOSPACE");
        assertEquals("", lab.told());
    }

    // ---- this node

    @Test
    void imagesThatAreNotHereAreNamed() {
        assertEquals("QUORUM_MARGIN WARNING, IMAGES WARNING", lab.told());
        String images = "registry.k8s.io/";
        assertEquals(
                "these images will be pulled: " + images + "kube-apiserver:v1.37.0, "
                        + images + "kube-controller-manager:v1.37.0, "
                        + images + "kube-scheduler:v1.37.0, "
                        + images + "kube-proxy:v1.37.0, "
                        + images + "coredns/coredns:v1.14.6, "
                        + images + "pause:3.10.2, "
                        + images + "etcd:3.7.0-0; "
                        + "pull them now to save the time: kjadm config images pull",
                lab.text().lines().toList().getLast());
        String why = "connection refused";
        lab.init.runtime.down = Optional.of(why);
        assertEquals("QUORUM_MARGIN WARNING, IMAGES WARNING", lab.told());
        assertTrue(lab.text().contains(why), lab.text());
    }

    @Test
    void changesByHandAreNamed() {
        pulled();
        lab.edit(
                MANIFESTS + "kube-scheduler.yaml",
                "    - --leader-elect=true\n",
                "    - --leader-elect=true\n    - --v=4\n");
        lab.edit(MANIFESTS + "etcd.yaml", "registry.k8s.io/etcd", "mirror.example/etcd");
        assertEquals(
                "QUORUM_MARGIN WARNING, HAND_MADE_CHANGES WARNING, HAND_MADE_CHANGES WARNING",
                lab.told());
        assertHasLine(
                "the manifest of kube-scheduler was changed by hand, and the upgrade would undo it: spec.containers[kube-scheduler].command[--v]: (nothing) → 4; give --adopt-changes to keep it as a patch; if it is from a patch, give --patches",
                lab.text());
        assertHasLine(
                "the manifest of etcd was changed by hand where the upgrade changes it too: spec.containers[etcd].image: registry.k8s.io/etcd:3.6.11-0 → mirror.example/etcd:3.6.11-0: there it will be as it is generated; write a patch for it if it has to stay",
                lab.text());
    }

    @Test
    void anOlderImageOfEtcdIsNobodysChange() {
        pulled();
        lab.edit(MANIFESTS + "etcd.yaml", "etcd:3.6.11-0", "etcd:3.6.5-0");
        assertEquals("QUORUM_MARGIN WARNING", lab.told());
    }

    @Test
    void theManifestOfAMemberThatJoinedIsNobodysChangeEither() {
        pulled();
        lab.edit(
                MANIFESTS + "etcd.yaml",
                "    - --initial-cluster=",
                "    - --initial-cluster-state=existing\n    - --initial-cluster=cp-2=https://192.0.2.12:2380,");
        // written by kubeadm, which does not give it more time; then by this program
        assertEquals("QUORUM_MARGIN WARNING", lab.told(), lab::text);
        lab.edit(MANIFESTS + "etcd.yaml", "failureThreshold: 24", "failureThreshold: 180");
        lab.edit(
                MANIFESTS + "etcd.yaml",
                "startupProbe:\n      failureThreshold: 180\n      httpGet:\n        host: 127.0.0.1\n        path: /readyz",
                "startupProbe:\n      failureThreshold: 180\n      httpGet:\n        host: 127.0.0.1\n        path: /livez");
        assertEquals("QUORUM_MARGIN WARNING", lab.told(), lab::text);
    }

    @Test
    void patchesCountAsGenerated() {
        pulled();
        lab.init.files.with(
                "/patches/kube-scheduler.yaml", "metadata: {annotations: {example/a: b}}\n");
        lab.patches = Optional.of(Path.of("/patches"));
        // younger than the file on the disk, which was made without
        assertEquals("QUORUM_MARGIN WARNING", lab.told());
        lab.edit(
                MANIFESTS + "kube-scheduler.yaml",
                "metadata:\n",
                "metadata:\n  annotations: {example/a: b}\n");
        assertEquals("QUORUM_MARGIN WARNING", lab.told());
        // what was changed where the patch changes it as well, is
        lab.edit(MANIFESTS + "kube-scheduler.yaml", "example/a: b", "example/a: c");
        assertEquals("QUORUM_MARGIN WARNING, HAND_MADE_CHANGES WARNING", lab.told(), lab::text);
    }

    @Test
    void aPatchThatRefersToApiObjectsStopsIt() {
        pulled();
        lab.init.files.with(
                "/patches/kube-scheduler.yaml", "spec: {serviceAccountName: scheduler}\n");
        lab.patches = Optional.of(Path.of("/patches"));
        assertEquals("QUORUM_MARGIN WARNING, STATIC_POD_REFERENCES SKIPPABLE", lab.told());
        assertHasLine(
                "the patches make the static pod of kube-scheduler refer to API objects: serviceAccountName: the new kubelet does not run a static pod that does; use files of this node (hostPath) and plain values in the patches instead",
                lab.text());
    }

    @Test
    void aManifestThatIsNoYamlIsAFinding() {
        pulled();
        lab.init.files.with(MANIFESTS + "kube-scheduler.yaml", "a: [");
        assertEquals("QUORUM_MARGIN WARNING, STATIC_POD_MANIFEST SKIPPABLE", lab.told());
    }

    @Test
    void certificatesAreReadInFilesAndInKubeconfigs() {
        List<String> names = lab.facts().node().certificates().stream()
                .map(NodeState.Certificate::name)
                .toList();
        assertEquals(
                List.of(
                        "ca.crt",
                        "apiserver.crt",
                        "apiserver-kubelet-client.crt",
                        "front-proxy-ca.crt",
                        "front-proxy-client.crt",
                        "etcd/ca.crt",
                        "etcd/server.crt",
                        "etcd/peer.crt",
                        "etcd/healthcheck-client.crt",
                        "apiserver-etcd-client.crt",
                        "admin.conf",
                        "super-admin.conf",
                        "controller-manager.conf",
                        "scheduler.conf"),
                names);
        lab.init.files.with("/etc/kubernetes/pki/apiserver.crt", "no PEM");
        assertEquals(Set.of("apiserver.crt"), Named.files(lab.text()));
    }

    @Test
    void aYearLaterEverythingButTheAuthoritiesHasEnded() {
        lab.waiter.pause("", "", Duration.ofDays(366));
        lab.renew("kube-scheduler");
        lab.renew("kube-controller-manager");
        assertEquals(
                "QUORUM_MARGIN WARNING, CERTIFICATE_EXPIRATION SKIPPABLE, IMAGES WARNING",
                lab.told());
        assertEquals(
                Set.of(
                        "admin.conf",
                        "apiserver-etcd-client.crt",
                        "apiserver-kubelet-client.crt",
                        "apiserver.crt",
                        "controller-manager.conf",
                        "front-proxy-client.crt",
                        "scheduler.conf",
                        "super-admin.conf"),
                Named.files(lab.text()));
    }

    @Test
    void endedCertificatesExplainAnApiServerThatDoesNotAnswer() {
        var certificates = new NodeCertificates(lab.init.files);
        assertEquals(
                Optional.empty(), certificates.ended(KubernetesPaths.standard(), lab.waiter.now()));
        assertEquals(
                "renew first: kjadm certs renew all",
                certificates
                        .ended(
                                KubernetesPaths.standard(),
                                lab.waiter.now().plus(Duration.ofDays(366)))
                        .orElseThrow()
                        .next());
    }

    @Test
    void aWorkerIsAskedForLittle() {
        lab.init.files.delete(Path.of(MANIFESTS + "kube-apiserver.yaml"));
        var stored = lab.stored();
        InstalledNode worker = InstalledNode.look(lab.init.files, stored.cluster());
        List<String> before = lab.api.calls();
        UpgradeFacts facts = lab.checkup()
                .gather(
                        stored,
                        worker,
                        new UpgradeGoal(
                                lab.target,
                                PreReleases.NONE,
                                true,
                                Optional.empty(),
                                Timeouts.DEFAULTS));
        assertEquals(List.of(), UpgradeChecklist.findings(facts));
        assertEquals(
                List.of("raw /version"),
                lab.api.calls().subList(before.size(), lab.api.calls().size()));
    }
}
