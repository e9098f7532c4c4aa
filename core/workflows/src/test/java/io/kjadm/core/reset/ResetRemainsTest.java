package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.kjadm.core.config.ResetConfiguration;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.leave.FinalSnapshot;
import io.kjadm.core.etcd.leave.ResetJournal;
import io.kjadm.core.host.Owner;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What stays on a node for whom: notes for the next reset, data for its owner, manifests. */
class ResetRemainsTest {

    private static final Path TMP = Path.of("/etc/kubernetes/tmp");
    private static final Path JOIN_NOTES = TMP.resolve("kjadm-etcd-join");
    private static final Path MOVED = Path.of("/var/lib/etcd.removed-20260203-040506");

    private final ResetLab lab = new ResetLab();

    private void joinHasNoted(JoinState state, Optional<MemberId> member) {
        new JournalFile(lab.files, TMP)
                .write(new JoinEntry(
                        state,
                        "earlier",
                        "c1",
                        "cp-4",
                        SimulatedCluster.peerUrl("cp-4"),
                        lab.waiter.now(),
                        lab.etcd.members(),
                        member,
                        Optional.empty(),
                        0,
                        false));
        assertTrue(lab.files.exists(JOIN_NOTES));
    }

    private void isNoControlPlane() {
        lab.files.deleteContents(ResetLab.MANIFESTS);
        lab.files.deleteContents(ResetLab.DATA);
    }

    private ResetRun phase(String name, ResetConfiguration config) {
        return lab.workflow(Confirmation.GIVEN)
                .run(lab.start(config), Selection.only(name), lab.out);
    }

    private static ResetConfiguration withTmp(boolean force) {
        ResetConfiguration usual = ResetLab.config(force, false);
        return new ResetConfiguration(
                true,
                usual.certificatesDir(),
                usual.criSocket(),
                false,
                force,
                false,
                List.of(),
                List.of(),
                List.of(),
                usual.timeouts());
    }

    // ---- notes of a join

    @Test
    void notesOfAJoinThatHasAddedNothingGoWithTheNode() {
        isNoControlPlane();
        joinHasNoted(JoinState.PREPARED, Optional.empty());
        lab.reset().conclude();
        assertFalse(lab.files.exists(JOIN_NOTES));
    }

    @Test
    void notesOfAJoinGoWhenItsMemberHasLeftAlsoWithoutTheCleanup() {
        MemberId learner = lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        lab.etcdPod("cp-4");
        joinHasNoted(JoinState.ADDED, Optional.of(learner));
        phase("remove-etcd-member", ResetLab.config(false, false));
        assertEquals(3, lab.etcd.members().size());
        assertFalse(lab.files.exists(JOIN_NOTES));
    }

    @Test
    void theTemporaryDirectoryGoesWhenTheMemberOfTheJoinHasLeft() {
        MemberId learner = lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        lab.etcdPod("cp-4");
        joinHasNoted(JoinState.ADDED, Optional.of(learner));
        lab.files.with("/etc/kubernetes/tmp/backup/x", "x");
        lab.run(withTmp(false)).conclude();
        assertEquals(List.of(), lab.files.list(TMP));
    }

    @Test
    void theTemporaryDirectoryStaysWhileTheOutcomeOfAJoinIsNotKnown() {
        isNoControlPlane();
        joinHasNoted(JoinState.ADDING, Optional.empty());
        lab.reachable = false;
        ResetRun done = lab.run(withTmp(true));
        assertThrows(ClusterException.class, done::conclude);
        assertTrue(lab.files.exists(JOIN_NOTES), "the next reset can still tell");
    }

    // ---- notes of a reset

    @Test
    void theCleanupAloneKeepsTheNotesOfARemovalThatHasBegun() {
        lab.noted(ResetState.HANDOVER, "a001", "c1");
        phase("cleanup-node", ResetLab.config(false, false));
        assertTrue(lab.files.exists(ResetLab.ASIDE.resolve("journal.json")));
    }

    @Test
    void aResetThatHadCleanedAlmostEverythingDoesNotBeginAnew() {
        lab.files.deleteContents(ResetLab.MANIFESTS);
        lab.noted(ResetState.CLEANING, "a001", "c1");
        lab.reset().conclude();
        assertTrue(lab.out.in("reset").stream().anyMatch(line -> line.startsWith("Resuming")));
        assertFalse(lab.files.exists(ResetLab.ASIDE));
    }

    // ---- data

    @Test
    void dataThatWasMovedIsRootsAndNobodyIsTold() {
        lab.configured("");
        lab.files.ownTree(ResetLab.DATA, new Owner(100, 100));
        lab.reset().conclude();
        assertEquals(Owner.ROOT, lab.files.owner(MOVED));
        assertTrue(lab.files.exists(MOVED.resolve("wal/0.wal")));
        assertEquals(List.of(), lab.out.warnings());
    }

    @Test
    void whatALinkPointsToKeepsItsOwnerWithAWarning() {
        lab.files.deleteTree(ResetLab.DATA.resolve("member"));
        lab.files
                .with("/home/somebody/file", "x")
                .withLink("/var/lib/etcd/member", "/home/somebody");
        lab.reset().conclude();
        assertTrue(
                lab.out.warnings().stream()
                        .anyMatch(line -> line.endsWith(
                                "is a symbolic link; what it points to keeps its owner")),
                lab.out.warnings().toString());
    }

    @Test
    void theDirectoryOfAnExternalEtcdKeepsItsOwnerThoughAccountsGo() {
        lab.configured("featureGates: {RootlessControlPlane: true}\n"
                + "etcd: {external: {endpoints: [\"http://10.0.0.1:2379\"]}}\n");
        isNoControlPlane();
        for (String user : List.of("etcd", "kas", "kcm", "ks")) {
            lab.runner.answering("userdel kubeadm-" + user, "");
            lab.runner.answering("groupdel kubeadm-" + user, "");
        }
        lab.runner.answering("groupdel kubeadm-sa-key-readers", "");
        Owner somebody = new Owner(100, 100);
        lab.files.ownTree(ResetLab.DATA, somebody);
        lab.reset().conclude();
        assertEquals(RootlessAccountsTest.COMMANDS, lab.deletions());
        assertEquals(somebody, lab.files.owner(ResetLab.DATA));
    }

    @Test
    void theCleanupAloneSpeaksOfDataOnlyWhereThereIsSome() {
        isNoControlPlane();
        phase("cleanup-node", ResetLab.config(false, false));
        assertEquals(List.of(ResetLab.CONFIGURATION_UNREADABLE), lab.out.warnings());
    }

    @Test
    void dataThatARefusalKeptIsNotSaidToBeKeptForWantOfAPhase() {
        lab.runtime.refusals.put("etcd", 1000);
        lab.waiter.eachTime(() -> lab.runs("etcd"));
        lab.reset();
        assertEquals(
                List.of(
                        ResetLab.CONFIGURATION_UNREADABLE,
                        "other nodes can change etcd's members at the same time:"
                                + " the Lease kube-system/kjadm-etcd-membership cannot be used"
                                + " (kubeconfig /etc/kubernetes/admin.conf cannot be used:"
                                + " not a YAML object: the top level has to consist of keys and"
                                + " values; correct or replace the file);"
                                + " etcd itself still refuses what would harm it",
                        "etcd may still run: not now"),
                lab.out.warnings());
    }

    @Test
    void noPartOfASnapshotStaysThatCannotGetItsName() {
        lab.voters(1);
        lab.files.refusing(
                "/var/lib/kjadm-snapshots/etcd-c1-20260203-040506.db", "Read-only file system");
        Map<Path, String> before = lab.contents();
        assertThrows(PhaseFailure.class, lab::ended);
        assertEquals(before, lab.contents());
    }

    // ---- manifests

    @Test
    void aRefusalThatComesBeforeAnythingWasTakenOutSaysSo() {
        lab.reachable = false;
        KjadmException refused = lab.refused();
        assertTrue(refused.why().endsWith("; this node is unchanged"), refused.why());
    }

    @Test
    void anEtcdThatAnEarlierResetHasTakenOutIsPutBackByARefusal() {
        String manifest = lab.files.text("/etc/kubernetes/manifests/etcd.yaml");
        lab.files.delete(ResetLab.MANIFESTS.resolve("etcd.yaml"));
        lab.files.with(ResetLab.ASIDE + "/etcd.yaml", manifest);
        lab.noted(ResetState.RETIRING, "a001", "c1");
        lab.etcd.stop(lab.etcd.id("cp-3"));
        assertThrows(PhaseFailure.class, lab::reset);
        assertEquals(manifest, lab.files.text("/etc/kubernetes/manifests/etcd.yaml"));
    }

    @Test
    void whatUsesEtcdIsStoppedBeforeAnEtcdThatNobodyCouldAsk() {
        lab.reachable = false;
        phase("remove-etcd-member", ResetLab.config(true, false));
        assertEquals(List.of(), lab.files.list(ResetLab.MANIFESTS));
    }

    // ---- whom it asks

    @Test
    void whomAnUnfinishedJoinAskedIsAskedToo() {
        isNoControlPlane();
        lab.etcd.local("");
        joinHasNoted(JoinState.ADDING, Optional.empty());
        lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        lab.reset();
        assertTrue(
                lab.accesses.getFirst().endpoints().contains(URI.create("https://cp-3:2379")),
                lab.accesses.getFirst().endpoints().toString());
    }

    @Test
    void theEtcdPodsOfTheClusterAreAskedToo() {
        lab.configured("");
        lab.api.with(new PodBuilder()
                .withNewMetadata()
                .withName("etcd-cp-3")
                .withNamespace("kube-system")
                .addToLabels("component", "etcd")
                .addToLabels("tier", "control-plane")
                .addToAnnotations(
                        "kubeadm.kubernetes.io/etcd.advertise-client-urls", "https://cp-3:2379")
                .endMetadata()
                .build());
        lab.reset();
        assertTrue(
                lab.accesses.getFirst().endpoints().contains(URI.create("https://cp-3:2379")),
                lab.accesses.getFirst().endpoints().toString());
    }

    // ---- what an earlier reset has noted

    @Test
    void notesOfAMemberOfAnotherClusterAreNotAboutThisData() {
        lab.dataOf(0xa001);
        lab.apiServerIsTakenOut();
        lab.noted(ResetState.REMOVED, "a001", "c2");
        assertThrows(PhaseFailure.class, lab::reset);
        assertTrue(lab.listed("cp-1"));
        assertTrue(lab.files.exists(ResetLab.DATA.resolve("member/wal/0.wal")));
    }

    @Test
    void anEtcdThatCameUpAgainAfterItWasStoppedIsAskedAnew() {
        lab.dataOf(0xa001);
        lab.noted(ResetState.STOPPED, "a001", "c1");
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
    }

    @Test
    void anEtcdThatWasStartedAgainAfterItsRemovalNeedsNobodysWord() {
        lab.dataOf(0xa001);
        lab.apiServerIsTakenOut();
        lab.noted(ResetState.REMOVED, "a001", "c1");
        lab.reset().conclude();
        assertTrue(lab.listed("cp-1"), "etcd was asked again");
    }

    // ---- two faults at once

    @Test
    void dataThatCannotBeGivenToRootIsAWarning() {
        lab.configured("");
        lab.files.keepingOwner(MOVED.toString(), "Operation not permitted");
        lab.reset().conclude();
        assertEquals(
                List.of(MOVED + " was not given to root: cannot change the owner of " + MOVED
                        + ": Operation not permitted"),
                lab.out.warnings());
    }

    @Test
    void aSnapshotWhosePartCannotBeDeletedEitherTellsBoth() {
        lab.voters(1);
        lab.files.refusing(
                "/var/lib/kjadm-snapshots/etcd-c1-20260203-040506.db.part",
                "Read-only file system");
        Throwable failure = assertThrows(PhaseFailure.class, lab::ended).getCause();
        assertEquals(1, failure.getCause().getSuppressed().length);
    }

    @Test
    void aSnapshotIsTakenOfNobodyElse() {
        lab.voters(1);
        ResetJournal journal = new ResetJournal(
                lab.files,
                ResetLab.ASIDE.resolve("journal.json"),
                "unix:///run/c.sock",
                lab.waiter,
                lab.failpoints.fuse(lab.waiter));
        Member other = new Member(
                new MemberId(0xa009),
                "cp-9",
                List.of(SimulatedCluster.peerUrl("cp-9")),
                List.of(),
                false);
        ClusterException failure = assertThrows(
                ClusterException.class,
                () -> new FinalSnapshot(lab.files, lab.waiter, journal, lab.out)
                        .take(
                                lab.etcd,
                                other,
                                lab.start(ResetLab.config(false, true)).etcd()));
        assertEquals(Optional.of(CommonReason.NO_ANSWER), failure.reason());
        assertEquals(List.of(), lab.files.list(Path.of("/var/lib/kjadm-snapshots")));
    }
}
