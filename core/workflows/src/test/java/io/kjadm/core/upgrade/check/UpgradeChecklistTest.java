package io.kjadm.core.upgrade.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.upgrade.ManifestChanges;
import io.kjadm.core.upgrade.UpgradeFinding;
import io.kjadm.core.upgrade.check.ClusterState.ApiServer;
import io.kjadm.core.upgrade.check.ClusterState.Dns;
import io.kjadm.core.upgrade.check.ClusterState.Election;
import io.kjadm.core.upgrade.check.NodeState.Certificate;
import io.kjadm.core.upgrade.check.NodeState.Disk;
import io.kjadm.core.upgrade.check.NodeState.Images;
import io.kjadm.core.upgrade.check.NodeState.Manifest;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.PatchTarget;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

class UpgradeChecklistTest {

    private static final String MANIFEST = """
            apiVersion: v1
            kind: Pod
            metadata: {name: kube-scheduler}
            spec:
              containers:
              - command: [kube-scheduler, --leader-elect=true]
                image: registry.k8s.io/kube-scheduler:v1.36.2
                name: kube-scheduler
            """;

    private final ClusterScene scene = new ClusterScene();

    private List<UpgradeFinding> findings() {
        return UpgradeChecklist.findings(scene.facts());
    }

    /** All but the known defects of the etcd releases, which have a test of their own. */
    private String told() {
        return findings().stream()
                .filter(finding -> finding.rule() != EtcdUpgradeFinding.Rule.KNOWN_DEFECTS)
                .map(finding -> finding.rule() + " " + finding.severity())
                .collect(Collectors.joining(", "));
    }

    private String text() {
        return findings().stream()
                .map(finding -> finding.problem().toString())
                .collect(Collectors.joining("\n"));
    }

    @Test
    void aHealthyClusterMayGo() {
        assertEquals("", told());
    }

    @Test
    void knownDefectsOfEtcdAreToldAndStopNothing() {
        scene.etcd = SimulatedCluster.ofVoters(3, "3.6.8");
        scene.etcdTag = "3.6.8-0";
        List<UpgradeFinding> defects = findings().stream()
                .filter(finding -> finding.rule() == EtcdUpgradeFinding.Rule.KNOWN_DEFECTS)
                .toList();
        assertEquals(1, defects.size(), this::text);
        assertEquals("EtcdKnownDefects", defects.getFirst().rule().checkName());
        assertFalse(defects.getFirst().stops(false, List.of()));
        Problem problem = defects.getFirst().problem();
        assertTrue(problem.why().startsWith("etcd 3.6.8 (cp-1, cp-2, cp-3): "), this::text);
        assertEquals("upgrade to 3.6.14 or newer: 'kjadm etcd upgrade 3.6.14'", problem.next());
        scene.etcd = SimulatedCluster.ofVoters(3, "3.6.14");
        scene.etcdTag = "3.7.1-0";
        assertEquals(List.of(), findings());
    }

    @Test
    void fiveFaultsAreFiveFindings() {
        scene.target = KubernetesVersion.of("v1.37.99");
        scene.notReady("cp-2");
        scene.etcd.silent(scene.etcd.id("cp-3"));
        scene.arguments.put(
                "kube-apiserver", List.of(new Argument("feature-gates", "ComponentSLIs=true")));
        scene.certificate("apiserver-etcd-client.crt", Duration.ofDays(-1));
        assertEquals(
                "PROGRAM_PATCH_TOO_OLD SKIPPABLE, "
                        + "CONTROL_PLANE_NODES_READY SKIPPABLE, VOTERS MANDATORY, "
                        + "REMOVED_GATE SKIPPABLE, CERTIFICATE_EXPIRATION SKIPPABLE",
                told());
    }

    // ---- the cluster

    @Test
    void workersThatAreNotReadyAreOnlyTold() {
        scene.notReady("worker-1");
        assertEquals("NODES_READY WARNING", told());
        assertEquals(
                "some nodes are not ready: worker-1 (KubeletNotReady): there may be no node for their pods while others are drained; check what their kubelets report (kubectl describe node)",
                text());
    }

    @Test
    void anApiServerThatIsNotReadyIsNamed() {
        scene.apiServers.add(new ApiServer(
                "cp-4", URI.create("https://10.0.0.4:6443"), Optional.of("connection refused")));
        assertEquals("API_SERVERS SKIPPABLE", told());
        assertEquals(Set.of("cp-4"), Named.members(text()), text());
    }

    @ParameterizedTest
    @CsvSource({
        "kube-scheduler, 29, ''",
        "kube-scheduler, 30, SCHEDULER_LEASE SKIPPABLE",
        "kube-controller-manager, 29, ''",
        "kube-controller-manager, 31, CONTROLLER_MANAGER_LEASE SKIPPABLE"
    })
    void aLeaseIsRenewedWithinHalfAMinute(String component, int seconds, String expected) {
        scene.elected(component, Duration.ofSeconds(seconds));
        assertEquals(expected, told());
    }

    @Test
    void aLeaseThatIsMissingIsNotRenewed() {
        scene.elections.put("kube-scheduler", new Election("kube-scheduler", Optional.empty()));
        assertEquals("SCHEDULER_LEASE SKIPPABLE", told());
    }

    @Test
    void aNameServiceThatCannotBeToldIsAFinding() {
        scene.dns = new Dns(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(new Problem("there are 2 DNS deployments", "", "remove one")));
        assertEquals("COREDNS_MIGRATION SKIPPABLE", told());
    }

    // ---- etcd

    @Test
    void anEtcdThatNobodyCanAskStops() {
        scene.etcdState = Optional.of(new EtcdState.Silent("connection refused"));
        assertEquals("ETCD MANDATORY", told());
    }

    @Test
    void etcdIsJudgedByItsOwnRules() {
        scene.etcd = SimulatedCluster.ofVoters(3, "3.5.20");
        scene.etcdTag = "3.6.8-0";
        assertEquals("ETCD_VERSION WARNING, PATCH_FIRST MANDATORY, V2_CONTENT WARNING", told());
    }

    @Test
    void ofAnEtcdImageWithoutAVersionOnlyTheHealthIsJudged() {
        scene.etcdTag = "latest";
        scene.etcd.silent(scene.etcd.id("cp-2"));
        assertEquals("ETCD_VERSION WARNING, VOTERS MANDATORY", told());
    }

    @Test
    void anEtcdThatIsLeftAloneIsNotJudged() {
        scene.withEtcd = false;
        scene.etcd.silent(scene.etcd.id("cp-2"));
        assertEquals("", told());
    }

    // ---- this node

    @Test
    void aMissingManifestStops() {
        scene.manifests.put(
                PatchTarget.KUBE_SCHEDULER,
                new Manifest.Missing(Path.of("/m/kube-scheduler.yaml")));
        assertEquals("STATIC_POD_MANIFEST SKIPPABLE", told());
        assertEquals(
                "there is no /m/kube-scheduler.yaml: the upgrade replaces the manifests of static pods that run; restore it if it was removed; 'kjadm init phase' writes a new one",
                text());
    }

    @Test
    void anUnreadableManifestStops() {
        scene.manifests.put(
                PatchTarget.KUBE_SCHEDULER,
                new Manifest.Unreadable(Path.of("/m/kube-scheduler.yaml"), "no YAML"));
        assertEquals("STATIC_POD_MANIFEST SKIPPABLE", told());
    }

    @Test
    void changesByHandAreToldWithWhatKeepsThem() {
        changed(MANIFEST.replace("elect=true]", "elect=true, --v=4]"));
        assertEquals("HAND_MADE_CHANGES WARNING", told());
        assertEquals(
                "the manifest of kube-scheduler was changed by hand, and the upgrade would undo it: spec.containers[kube-scheduler].command[--v]: (nothing) → 4; give --adopt-changes to keep it as a patch; if it is from a patch, give --patches",
                text());
    }

    @Test
    void changesThatWillBeLostAreToldAsSuch() {
        changed(MANIFEST.replace("registry.k8s.io/", "mirror.example/"));
        assertEquals("HAND_MADE_CHANGES WARNING", told());
        assertEquals(Set.of(), Named.flags(text()), text());
    }

    private void changed(String found) {
        scene.manifests.put(
                PatchTarget.KUBE_SCHEDULER,
                new Manifest.Compared(
                        ManifestChanges.between(
                                PatchTarget.KUBE_SCHEDULER,
                                MANIFEST,
                                found,
                                MANIFEST.replace("v1.36.2", "v1.37.0")),
                        List.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "31, ''",
        "30, CERTIFICATE_EXPIRATION WARNING",
        "1, CERTIFICATE_EXPIRATION WARNING",
        "0, CERTIFICATE_EXPIRATION SKIPPABLE"
    })
    void certificatesNearTheirEndAreToldAndEndedOnesStop(int days, String expected) {
        scene.certificate("front-proxy-client.crt", Duration.ofDays(days));
        assertEquals(expected, told());
    }

    @Test
    void whoRenewsAnEndedCertificateDependsOnWhoseItIs() {
        scene.certificate("admin.conf", Duration.ofDays(-1));
        assertEquals(
                "some certificates have expired: admin.conf (2026-11-19T10:00:00Z): connections that use them are refused; renew first: kjadm certs renew all",
                text());
        scene.certificates.clear();
        scene.certificate("etcd/ca.crt", Duration.ofDays(-1));
        assertEquals("CERTIFICATE_EXPIRATION SKIPPABLE", told());
        assertEquals(
                "some certificate authorities have expired: etcd/ca.crt (2026-11-19T10:00:00Z):"
                        + " the certificates that they signed are not trusted;"
                        + " replace them on all nodes first",
                text());
    }

    @Test
    void aCertificateThatCannotBeReadIsTold() {
        scene.certificates.add(new Certificate("admin.conf", false, Optional.empty()));
        assertEquals("CERTIFICATE_EXPIRATION WARNING", told());
    }

    @Test
    void threeDatabasesHaveToFitOnTheDisk() {
        scene.etcd.databaseBytes = 100 << 20;
        scene.disks.add(new Disk(Path.of("/etc/kubernetes"), OptionalLong.of(300 << 20)));
        assertEquals("", told());
        scene.disks.add(new Disk(Path.of("/etc/kubernetes"), OptionalLong.of((300 << 20) - 1)));
        assertEquals("FREE_SPACE SKIPPABLE", told());
    }

    @Test
    void aDiskThatDoesNotTellIsTold() {
        scene.disks.add(new Disk(Path.of("/etc/kubernetes"), OptionalLong.empty()));
        assertEquals("FREE_SPACE WARNING", told());
    }

    @Test
    void imagesThatWillBePulledAreNoFault() {
        scene.images = new Images(List.of("registry.k8s.io/etcd:3.6.8-0"), Optional.empty());
        assertEquals("IMAGES WARNING", told());
        scene.images = new Images(List.of(), Optional.of("no answer"));
        assertEquals("IMAGES WARNING", told());
    }

    // ---- what stops

    @ParameterizedTest
    @CsvSource({
        "false, '', true",
        "true, '', false",
        "false, controlplaneNODESready, false",
        "false, all, false",
        "false, NodesReady, true"
    })
    void whatMayBeSkippedIsSkippedByForceOrByItsName(boolean force, String ignored, boolean stops) {
        scene.notReady("cp-2");
        assertEquals(stops, findings().getFirst().stops(force, List.of(ignored)));
    }

    @Test
    void whatProtectsTheClusterIsNeverSkipped() {
        scene.etcd.silent(scene.etcd.id("cp-2"));
        assertTrue(findings().getFirst().stops(true, List.of("all")));
    }
}
