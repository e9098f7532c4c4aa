package io.kjadm.core.reset;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.ResetConfiguration;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.Owner;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.RpcKind;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What a reset tells the operator: each step once, and what is left. */
class ResetReportTest {

    private static final String LEAVES = "[reset] etcd member a001 cp-1 (voter, https://cp-1:2380)"
            + " leads and can leave: the others keep a quorum";
    private static final String READING =
            "[reset] Reading configuration from the \"kubeadm-config\" ConfigMap in namespace \"kube-system\"...";
    private static final String UPLOADING =
            "[reset] Use 'kjadm init phase upload-config kubeadm --config your-config-file' to re-upload it.";
    private static final String PREFLIGHT = "[preflight] Running pre-flight checks";
    private static final List<String> STOPPED = List.of(
            "[reset] Stopping the kubelet service, so that etcd stays stopped",
            "[reset] etcd's data was moved to /var/lib/etcd.removed-20260203-040506. It holds every Secret of the cluster: delete it when it is no longer needed");
    private static final List<String> CLEANED = List.of(
            "[reset] Stopping the kubelet service",
            "[reset] Unmounting what is mounted below \"/var/lib/kubelet\"",
            "[reset] Removing all pods of the container runtime at unix:///run/c.sock",
            "[reset] Deleting contents of directories: [/etc/kubernetes/manifests, /var/lib/kubelet, /etc/kubernetes/pki]",
            "[reset] Deleting files: [/etc/kubernetes/admin.conf, /etc/kubernetes/super-admin.conf, /etc/kubernetes/kubelet.conf, /etc/kubernetes/bootstrap-kubelet.conf, /etc/kubernetes/controller-manager.conf, /etc/kubernetes/scheduler.conf]");

    private final ResetLab lab = new ResetLab();

    /** The lines after the first three and before the last five. */
    private List<String> ofEtcd() {
        List<String> lines = lab.out.lines();
        assertEquals(List.of(READING, UPLOADING, PREFLIGHT), lines.subList(0, 3));
        int end = lines.size() - CLEANED.size();
        assertEquals(CLEANED, lines.subList(end, lines.size()));
        return lines.subList(3, end);
    }

    private static List<String> then(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    @Test
    void aLeaderHandsOverAndLeaves() {
        lab.reset().conclude();
        assertEquals(
                then(
                        List.of(
                                "[reset] etcd member a001 cp-1 (voter, https://cp-1:2380) leads and can leave: the others keep a quorum",
                                "[reset] Transferring etcd's leadership to cp-2",
                                "[reset] Removing etcd member a001 cp-1 (voter, https://cp-1:2380)",
                                "[reset] etcd no longer lists member a001"),
                        STOPPED),
                shortened(ofEtcd()));
    }

    @Test
    void aFollowerLeaves() {
        lab.etcdPod("cp-2");
        lab.reset().conclude();
        assertEquals(
                then(
                        List.of(
                                "[reset] etcd member a002 cp-2 (voter, https://cp-2:2380) can leave: the others keep a quorum",
                                "[reset] Removing etcd member a002 cp-2 (voter, https://cp-2:2380)",
                                "[reset] etcd no longer lists member a002"),
                        STOPPED),
                shortened(ofEtcd()));
    }

    private static List<String> shortened(List<String> lines) {
        return lines.stream().map(line -> line.replaceAll("a0{12}", "a")).toList();
    }

    @Test
    void theLastMemberEndsItsCluster() {
        lab.voters(1);
        lab.ended().conclude();
        List<String> told = ofEtcd();
        assertEquals(
                "[reset] Received etcd's snapshot: 16416 bytes, revision 102; its SHA-256 matches, and its tree is whole",
                told.getFirst());
        assertTrue(told.get(1).startsWith("[reset] etcd's snapshot is kept in"), told.get(1));
        assertEquals(STOPPED, told.subList(2, told.size()));
        assertTrue(
                lab.out
                        .warnings()
                        .getLast()
                        .endsWith(
                                "is the only voter of its etcd cluster: this reset ends the cluster"),
                lab.out.warnings().toString());
    }

    @Test
    void aMemberThatIsNotListedNeedNotBeRemoved() {
        lab.etcd.removeByOther(lab.etcd.id("cp-1"));
        lab.reset().conclude();
        assertEquals(
                then(
                        List.of(
                                "[reset] etcd lists no member of this node: none has to be removed"),
                        STOPPED),
                ofEtcd());
    }

    @Test
    void aForcedResetTellsWhereTheDataIs() {
        lab.reachable = false;
        lab.forced();
        assertEquals(
                "the etcd member may still be listed: its data was moved to "
                        + "/var/lib/etcd.kept-20260203-040506",
                lab.out.warnings().getLast());
    }

    @Test
    void whoAsksForTheEndOfAnEtcdThatDoesNotAnswerLearnsThatThereIsNoSnapshot() {
        lab.reachable = false;
        lab.ended();
        assertTrue(
                lab.out.warnings().stream()
                        .anyMatch(line -> line.startsWith(
                                "no snapshot can be taken of an etcd that does not answer")),
                lab.out.warnings().toString());
    }

    @Test
    void aForcedResetDoesNotSpeakOfSnapshots() {
        lab.reachable = false;
        lab.forced();
        assertEquals(
                List.of(
                        ResetLab.CONFIGURATION_UNREADABLE,
                        "the etcd member may still be listed:"
                                + " its data was moved to /var/lib/etcd.kept-20260203-040506"),
                lab.out.warnings());
    }

    @Test
    void aWorkerHasNoMember() {
        isNoControlPlane();
        lab.reset().conclude();
        assertEquals(List.of("[reset] There is no etcd member on this node"), ofEtcd());
    }

    @Test
    void anExternalEtcdIsLeftAlone() {
        lab.files.delete(ResetLab.MANIFESTS.resolve("etcd.yaml"));
        lab.staticPod("kube-apiserver", "--etcd-servers=https://10.0.0.1:2379");
        lab.reset().conclude();
        assertEquals(
                List.of(
                        "[reset] The cluster uses an external etcd: its members and data are left alone"),
                ofEtcd());
    }

    @Test
    void anEtcdThatNeverStartedHasNoClusterToLeave() {
        lab.reachable = false;
        lab.files.deleteContents(ResetLab.DATA);
        lab.etcdPod("cp-1", "--initial-cluster-state=new");
        lab.reset().conclude();
        assertEquals(
                List.of(
                        "[reset] This node's etcd has never started: there is no cluster to leave",
                        STOPPED.getFirst()),
                ofEtcd());
    }

    @Test
    void theClusterIsNotAskedWithoutAKubeconfig() {
        lab.files.delete(Path.of("/etc/kubernetes/admin.conf"));
        lab.reset().conclude();
        assertFalse(lab.out.lines().contains(READING), lab.out.text());
        assertTrue(
                lab.out
                        .details()
                        .contains(
                                "reset: there is no /etc/kubernetes/admin.conf, so the cluster is not asked"),
                lab.out.details().toString());
        assertEquals(
                List.of("other nodes can change etcd's members at the same time:"
                        + " the Lease kube-system/kjadm-etcd-membership cannot be used"
                        + " (there is no kubeconfig /etc/kubernetes/admin.conf:"
                        + " it is needed to talk to the API server;"
                        + " run this on a control-plane node,"
                        + " or name another file with --kubeconfig);"
                        + " etcd itself still refuses what would harm it"),
                lab.out.warnings());
    }

    @Test
    void aClusterWithoutConfigurationIsAWarning() {
        lab.apiServes();
        lab.reset().conclude();
        assertEquals(
                "could not read the cluster configuration: continuing with what this node knows",
                lab.out.warnings().getFirst());
    }

    @Test
    void aClusterThatAnswersIsNoWarning() {
        lab.configured("");
        lab.reset().conclude();
        assertEquals(List.of(), lab.out.warnings());
    }

    @Test
    void certificatesElsewhereAreLeftAloneWithAWarning() {
        lab.configured("certificatesDir: /elsewhere\n");
        lab.files.with("/elsewhere/ca.crt", "x");
        lab.reset().conclude();
        assertEquals(
                List.of("the cluster's certificates in /elsewhere are left alone: remove them, "
                        + "or reset with --cert-dir /elsewhere"),
                lab.out.warnings());
        assertTrue(lab.files.exists(Path.of("/elsewhere/ca.crt")));
    }

    @Test
    void accountsOfARootlessControlPlaneGo() {
        lab.configured("featureGates: {RootlessControlPlane: true}\n");
        lab.files.refusing("/var/lib/etcd.removed-20260203-040506", "Invalid cross-device link");
        for (String user : List.of("etcd", "kas", "kcm", "ks")) {
            lab.runner.answering("userdel kubeadm-" + user, "");
            lab.runner.answering("groupdel kubeadm-" + user, "");
        }
        lab.runner.answering("groupdel kubeadm-sa-key-readers", "");
        lab.files.ownTree(ResetLab.DATA, new Owner(100, 100));
        lab.reset().conclude();
        assertHasLine(
                "[reset] Removing users and groups created for the rootless control plane",
                lab.out.text());
        assertEquals(RootlessAccountsTest.COMMANDS, lab.deletions());
        assertEquals(Owner.ROOT, lab.files.owner(ResetLab.DATA));
    }

    /** A run was killed when it had deleted the kubeconfig, or no API server answers. */
    @Test
    void accountsGoAlsoWhereTheClusterCannotBeAsked() {
        lab.files
                .with("/etc/passwd", "kubeadm-etcd:x:100:100::/nonexistent:/bin/false\n")
                .refusing("/var/lib/etcd.removed-20260203-040506", "Invalid cross-device link");
        lab.files.delete(Path.of("/etc/kubernetes/admin.conf"));
        RootlessAccountsTest.COMMANDS.forEach(command -> lab.runner.answering(command, ""));
        lab.files.ownTree(ResetLab.DATA, new Owner(100, 100));
        lab.reset().conclude();
        assertEquals(RootlessAccountsTest.COMMANDS, lab.deletions());
        assertEquals(Owner.ROOT, lab.files.owner(ResetLab.DATA));
    }

    @Test
    void nobodysAccountsGoWhereThereAreNone() {
        lab.configured("");
        lab.reset().conclude();
        assertTrue(
                lab.runner.commands().stream()
                        .noneMatch(
                                line -> line.startsWith("userdel") || line.startsWith("groupdel")),
                lab.runner.commands().toString());
    }

    private static ResetConfiguration withTheTemporaryDirectory() {
        ResetConfiguration usual = ResetLab.config(false, false);
        return new ResetConfiguration(
                true,
                usual.certificatesDir(),
                usual.criSocket(),
                false,
                false,
                false,
                List.of(),
                List.of(),
                List.of(),
                usual.timeouts());
    }

    @Test
    void theTemporaryDirectoryIsToldLast() {
        lab.files.with("/etc/kubernetes/tmp/backup/x", "x");
        lab.run(withTheTemporaryDirectory()).conclude();
        assertEquals(
                "[reset] Deleting contents of directory /etc/kubernetes/tmp",
                lab.out.lines().getLast());
        assertFalse(lab.files.exists(Path.of("/etc/kubernetes/tmp/backup/x")));
    }

    @Test
    void theTemporaryDirectoryStaysAsLongAsTheNextResetNeedsItsNotes() {
        lab.runtime.refusals.put("etcd", 1000);
        lab.waiter.eachTime(() -> lab.runs("etcd"));
        lab.files.with("/etc/kubernetes/tmp/backup/x", "x");
        ResetRun done = lab.run(withTheTemporaryDirectory());
        assertThrows(ClusterException.class, done::conclude);
        assertTrue(lab.files.exists(Path.of("/etc/kubernetes/tmp/backup/x")));
        assertTrue(lab.files.exists(ResetLab.ASIDE.resolve("journal.json")));
    }

    private void isNoControlPlane() {
        lab.files.deleteContents(ResetLab.MANIFESTS);
        lab.files.deleteContents(ResetLab.DATA);
    }

    @Test
    void whatTheCleanupCouldNotDoIsAWarning() {
        isNoControlPlane();
        String why = "not now";
        lab.runner.answering("systemctl stop kubelet", new CommandRunner.Output(1, "", why));
        lab.reset();
        assertTrue(
                lab.out.warnings().stream().anyMatch(line -> line.contains(why)),
                lab.out.warnings().toString());
    }

    @Test
    void anEtcdThatDoesNotAnswerIsNoReasonForThePreflightToEnd() {
        lab.reachable = false;
        lab.refused();
        assertTrue(
                lab.out.details().stream()
                        .anyMatch(line ->
                                line.startsWith("preflight: etcd's members cannot be read: ")),
                lab.out.details().toString());
    }

    private boolean speaksOfPods() {
        return lab.out.details().stream()
                .anyMatch(line -> line.startsWith("etcd: the etcd pods cannot be listed: "));
    }

    @Test
    void podsThatCannotBeListedAreNoReasonToEnd() {
        lab.configured("");
        lab.api.answering(1).failing(1, Kind.FORBIDDEN);
        lab.reset().conclude();
        assertTrue(speaksOfPods(), lab.out.details().toString());
    }

    @Test
    void podsAreNotAskedForWithoutACluster() {
        lab.reset().conclude();
        assertFalse(speaksOfPods(), lab.out.details().toString());
    }

    @Test
    void aClusterThatRefusesToTellIsAWarning() {
        lab.configured("");
        lab.api.down(Kind.FORBIDDEN);
        lab.reset().conclude();
        assertTrue(
                lab.out
                        .warnings()
                        .getFirst()
                        .startsWith("could not read the cluster configuration ("),
                lab.out.warnings().toString());
    }

    @Test
    void aDryRunReportsTheWaitForAnAnswerThatDidNotCome() {
        boolean[] failed = {false};
        lab.etcd.beforeList(() -> {
            if (!failed[0] && lab.out.lines().contains(LEAVES)) {
                failed[0] = true;
                throw EtcdCallException.refused(RpcKind.READ, RpcCode.UNAVAILABLE, "cut", "list");
            }
        });
        lab.dryRun(ResetLab.config(false, false)).conclude();
        assertTrue(failed[0]);
        assertHasLine(
                "[dryrun] Would wait for the etcd member to be out of the cluster for at most 2m0s",
                lab.out.text());
    }
}
