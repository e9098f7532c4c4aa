package io.kjadm.core.restore;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.core.restore.RestoreOutcomes.assertAsBefore;
import static io.kjadm.core.restore.RestoreOutcomes.assertRestored;
import static io.kjadm.core.restore.RestoreOutcomes.data;
import static io.kjadm.core.restore.RestoreOutcomes.exists;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.journal.RestoreStep;
import io.kjadm.core.upgrade.check.UpgradeLab;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** A node gets the data of a snapshot, or keeps those it had, and never stays in between. */
class SnapshotRestoreTest {

    private final RestoringNode node = new RestoringNode(1);
    private final Map<String, String> before = node.manifests();

    @Test
    void theDataAreThoseOfTheSnapshotAndTheFormerOnesAreKept() {
        node.restore();

        assertRestored(node);
        assertEquals("Restored.", node.lab.out.in("restore").getLast());
    }

    @Test
    void whatFailedOnceIsMadeAnew() {
        node.exitStatus = 1;
        assertThrows(ClusterException.class, node::restore);
        node.exitStatus = 0;

        node.restore();

        assertRestored(node);
    }

    @Test
    void aSnapshotThatIsNotGoodChangesNothing() {
        node.store.objects.forEach((key, bytes) -> bytes[bytes.length / 2] ^= 1);

        assertReason(CommonReason.DAMAGED, KjadmException.class, node::restore);

        assertEquals("old", data(node));
        assertEquals(before, node.manifests());
        assertEquals(4, node.running().size());
        node.undo();
        assertAsBefore(node, before);
    }

    @Test
    void withoutRoomNothingIsChanged() {
        node.freeBytes = 100L << 20;

        HostException refusal = assertThrows(HostException.class, node::restore);

        assertEquals(Optional.of(CommonReason.NO_SPACE), refusal.reason());
        assertAsBefore(node, before);
        assertEquals(4, node.running().size());
    }

    /** The snapshot has taken that room already. */
    @Test
    void whatHasBegunIsNotAskedForRoomAgain() {
        node.exitStatus = 1;
        assertThrows(ClusterException.class, node::restore);
        node.exitStatus = 0;
        node.freeBytes = 0;

        node.restore();

        assertRestored(node);
    }

    @Test
    void aFileIsRestoredAsOneOfAStoreIs() {
        node.lab.init.files.with("/root/backup.db", SnapshotBytes.atRevision(300));

        node.restoreFile("/root/backup.db");

        assertRestored(node);
    }

    @Test
    void aRestoreOfAFileGoesOnWithTheSameFileOnly() {
        node.lab
                .init
                .files
                .with("/root/backup.db", SnapshotBytes.atRevision(300))
                .with("/root/other.db", SnapshotBytes.atRevision(301));
        node.exitStatus = 1;
        assertThrows(ClusterException.class, () -> node.restoreFile("/root/backup.db"));
        node.exitStatus = 0;

        assertThrows(HostException.class, () -> node.restoreFile("/root/other.db"));
        assertThrows(HostException.class, node::restore);

        node.restoreFile("/root/backup.db");
        assertRestored(node);
    }

    @Test
    void aFileThatIsNotGoodChangesNothing() {
        byte[] bytes = SnapshotBytes.atRevision(300);
        bytes[bytes.length / 2] ^= 1;
        node.lab.init.files.with("/root/backup.db", bytes);

        assertThrows(HostException.class, () -> node.restoreFile("/root/backup.db"));

        assertAsBefore(node, before);
    }

    @Tag("power-cut")
    @Test
    void wherePowerGoesTheSameCommandGoesOn() {
        int cuts = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            RestoringNode one = new RestoringNode(1);
            if (!one.cut(socket)) {
                break;
            }
            cuts = socket.step();
            boolean ended =
                    !exists(one, RestoringNode.JOURNAL) && data(one).equals("of the snapshot");
            if (!ended) {
                one.restore();
            }
            assertRestored(one);
        }
        assertTrue(cuts > 20, "cuts: " + cuts);
    }

    @Test
    void anotherSnapshotIsRefusedWhileOneIsNotFinished() {
        node.exitStatus = 1;
        assertThrows(ClusterException.class, node::restore);
        String journal = node.lab.init.files.text(RestoringNode.JOURNAL);
        node.lab.init.files.with(
                RestoringNode.JOURNAL, journal.replace(node.snapshot.name(), "another"));

        HostException refusal = assertThrows(HostException.class, node::restore);

        assertEquals("a restore of another on this node is not finished", refusal.what());
        assertEquals(List.of(), node.running());
    }

    /** Between two runs an etcd was started without data, and has founded a cluster. */
    @Test
    void dataOfAnotherEtcdAreNotTakenForThoseOfTheSnapshot() {
        node.exitStatus = 1;
        assertThrows(ClusterException.class, node::restore);
        node.data("of a stranger", RestoringNode.STRANGER);
        node.exitStatus = 0;

        HostException refusal = assertThrows(HostException.class, node::restore);

        assertEquals(Set.of("/var/lib/etcd/member"), Named.files(refusal.what()));
        assertTrue(refusal.why().contains(RestoringNode.STRANGER.toString()), refusal::toString);
        assertEquals("of a stranger", data(node));
        assertEquals(List.of(), node.running());

        // once they are out of the way it is resumed
        node.lab.init.files.withDirectory("/root");
        node.lab.init.files.rename(RestoringNode.MEMBER, Path.of("/root/strange"));
        node.restore();
        assertRestored(node);
    }

    @Test
    void whatTheToolMadeIsLookedAtBeforeItIsUsed() {
        node.makesOthers = true;

        HostException refusal = assertThrows(HostException.class, node::restore);

        assertTrue(refusal.why().contains(RestoringNode.STRANGER.toString()), refusal::toString);
        assertFalse(exists(node, "/var/lib/etcd/member"));
        node.undo();
        assertAsBefore(node, before);
    }

    /** The right member with a lower revision: clients would see revisions twice. */
    @Test
    void anEtcdThatServesALowerRevisionIsStoppedAgain() {
        node.restoredRevision = SnapshotRestore.BUMP_REVISIONS;

        ClusterException refusal = assertThrows(ClusterException.class, node::restore);

        assertEquals(
                "it serves revision 1000000000; the restored data have 1000000102 or more",
                refusal.why());
        assertEquals(List.of(), node.running());
        assertEquals(
                "Restoring snapshot 20261120t100000z-0afd with etcdutl of"
                        + " registry.k8s.io/etcd:3.6.11-0",
                node.lab.out.in("restore").getLast());
        node.undo();
        assertAsBefore(node, before);
    }

    /** etcdutl raises the revision of the newest entry, and there is none. */
    @Test
    void anEtcdThatNothingWasWrittenToIsRestored() {
        node.restoredRevision = SnapshotRestore.BUMP_REVISIONS;
        node.lab.init.files.with("/root/empty.db", SnapshotBytes.ofRevisions(0));

        node.restoreFile("/root/empty.db");

        assertRestored(node);
    }

    /** The wrong snapshot was restored first; its clients have seen the revisions of that restore. */
    @Test
    void theRevisionRisesBeyondThatOfAnEarlierRestore() {
        long seen = SnapshotRestore.BUMP_REVISIONS + 5_000;
        node.lab.init.files.with(RestoringNode.DATABASE, SnapshotBytes.atRevision(seen));
        List<Long> raised = new ArrayList<>();
        node.whileMaking = () -> raised.add(Long.valueOf(RestoringNode.flag(
                node.lab.init.files.text(UpgradeLab.MANIFESTS + "kjadm-etcd-restore.yaml"),
                "bump-revision")));

        node.restore();

        long own = node.snapshot.plain().content().revision();
        assertEquals(List.of(seen - own + SnapshotRestore.BUMP_REVISIONS), raised);
        assertRestored(node);
    }

    @Test
    void theRevisionRisesByWhatIsAskedFor() {
        node.raise = OptionalLong.of(3 * SnapshotRestore.BUMP_REVISIONS);
        node.restoredRevision = 2 * SnapshotRestore.BUMP_REVISIONS;

        ClusterException refusal = assertThrows(ClusterException.class, node::restore);

        long own = node.snapshot.plain().content().revision();
        assertEquals(
                "it serves revision 2000000000; the restored data have %d or more"
                        .formatted(own + 3 * SnapshotRestore.BUMP_REVISIONS),
                refusal.why());
    }

    @Test
    void whatServesNoMoreThanAnEarlierRestoreIsStoppedAgain() {
        long seen = SnapshotRestore.BUMP_REVISIONS + 5_000;
        node.lab.init.files.with(RestoringNode.DATABASE, SnapshotBytes.atRevision(seen));
        node.restoredRevision = seen;

        ClusterException refusal = assertThrows(ClusterException.class, node::restore);

        assertEquals(
                "it serves revision 1000005000; the restored data have 2000005000 or more",
                refusal.why());
        node.undo();
        assertAsBefore(node, before);
    }

    /** An etcd of somebody else answers where this node's should. */
    @Test
    void anotherMemberThatAnswersIsToldAndNothingElseIsStarted() {
        node.answersAs = Optional.of(RestoringNode.STRANGER);

        ClusterException refusal = assertThrows(ClusterException.class, node::restore);

        assertTrue(refusal.why().contains(RestoringNode.STRANGER.toString()), refusal::toString);
        assertEquals(List.of(), node.running());
        node.answersAs = Optional.empty();
        node.restore();
        assertRestored(node);
    }

    @Test
    void withoutAKubeletNothingIsChanged() {
        node.lab.init.runner.answering("systemctl is-active kubelet", "inactive\n");

        HostException refusal = assertThrows(HostException.class, node::restore);

        assertEquals(
                "start it (systemctl start kubelet), then run the same command again; nothing was changed",
                refusal.next());
        assertAsBefore(node, before);
        assertEquals(4, node.running().size());
    }

    /** The data are complete then: the same command would make them again. */
    @Test
    void anApiServerThatIsNotReadyLeavesNoRestoreBehind() {
        node.apiServerFails = true;

        ClusterException failure = assertThrows(ClusterException.class, node::restore);

        assertEquals(
                "etcd has its data, so nothing has to be restored again; list the containers with 'crictl ps -a' and read the log of the one that fails",
                failure.next());
        assertFalse(exists(node, RestoringNode.JOURNAL));
        assertEquals("of the snapshot", data(node));
    }

    /** The account of etcd owns the data directory, and may put a link there. */
    @Test
    void aLinkInTheDataDirectoryIsNotFollowed() {
        node.lab.init.files.with("/etc/data/kept", "kept").withLink(RestoringNode.WORK, "/etc");

        assertThrows(HostException.class, node::restore);

        assertEquals("kept", node.lab.init.files.text("/etc/data/kept"));
        assertEquals(before, node.manifests());
        assertEquals("old", data(node));
    }

    @Test
    void anErrorLeavesNoPartOfTheSnapshotBehind() {
        node.fetchFails = true;

        assertThrows(OutOfMemoryError.class, node::restore);

        assertFalse(exists(node, RestoringNode.WORK + "/snapshot.db"));
        assertEquals(before, node.manifests());
    }

    @Test
    void aSnapshotOfAnotherClusterIsRefusedUnlessItIsNamed() {
        node.data("old", new MemberIds("d2", new MemberId(0xd2)));
        node.lab.waiter.pause("", "", Duration.ofSeconds(30));

        ClusterException refusal = assertThrows(ClusterException.class, node::restore);

        assertEquals(Optional.of(CommonReason.OTHER_CLUSTER), refusal.reason());
        assertEquals(Set.of("--cluster-id"), Named.flags(refusal.next()), refusal::toString);
        assertAsBefore(node, before);
        node.clusterId = Optional.of("c1");
        node.restore();
        assertRestored(node);
    }

    /** What was restored has another ID, and is the same cluster for its operator. */
    @Test
    void snapshotsFromBeforeARestoreAreStillThoseOfThisCluster() {
        node.restore();
        node.lab.waiter.pause("", "", Duration.ofSeconds(30));
        String restored = new DataDirReader(node.lab.init.files)
                .idsIn(RestoringNode.MEMBER)
                .orElseThrow()
                .clusterId();

        assertEquals(
                List.of("c1"),
                new ClusterLineage(node.lab.init.files, StaticPodEtcd.LINEAGE)
                        .predecessors(restored));
        node.restore();
        assertRestored(node);
    }

    @Test
    void theJournalTellsWhoseDataAreSetAsideAndWhere() {
        node.lab.init.files.with("/etc/machine-id", "0123\n");
        node.exitStatus = 1;
        assertThrows(ClusterException.class, node::restore);

        String journal = node.lab.init.files.text(RestoringNode.JOURNAL);
        for (String told : List.of(
                "\"RESTORE\"", "\"0123\"", "\"c1\"", node.former.memberId().toString())) {
            assertTrue(journal.contains(told), journal);
        }
        node.lab.init.files.with("/etc/machine-id", "4567\n");
        node.exitStatus = 0;
        assertThrows(HostException.class, node::restore);
        assertThrows(HostException.class, node::undo);
    }

    @Test
    void everyStepHasItsFailpoints() {
        for (RestoreStep step : RestoreStep.values()) {
            for (String moment : List.of("before", "after")) {
                RestoringNode one = new RestoringNode(1);
                one.failpoint = Optional.of("%s:%s=error".formatted(step, moment));
                assertThrows(HostException.class, one::restore, step + " " + moment);
                one.failpoint = Optional.empty();
                one.restore();
                assertRestored(one);
            }
        }
    }
}
