package io.kjadm.core.restore;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.core.restore.RestoreOutcomes.assertAsBefore;
import static io.kjadm.core.restore.RestoreOutcomes.assertRestored;
import static io.kjadm.core.restore.RestoreOutcomes.data;
import static io.kjadm.core.restore.RestoreOutcomes.exists;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.journal.UnfinishedOperations;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A restore that is not finished is undone: the node has the data and manifests it had. */
class RestoreUndoTest {

    private final RestoringNode node = new RestoringNode(1);
    private final Map<String, String> before = node.manifests();

    @Test
    void etcdutlThatFailsIsToldAndEverythingCanBePutBack() {
        node.exitStatus = 1;

        ClusterException failure = assertThrows(ClusterException.class, node::restore);

        assertEquals(
                "etcdutl could not restore the snapshot: it exited with status 1", failure.what());
        assertTrue(node.running().isEmpty(), node.running()::toString);
        node.undo();
        assertAsBefore(node, before);
        assertEquals(4, node.running().size());
    }

    @Test
    void whereNothingIsUnderWayNothingIsUndone() {
        assertThrows(HostException.class, node::undo);
        node.restore();
        assertThrows(HostException.class, node::undo);
        assertRestored(node);
    }

    @Tag("power-cut")
    @Test
    void wherePowerGoesBeforeEtcdServesEverythingCanBePutBack() {
        int undone = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            RestoringNode one = new RestoringNode(1);
            if (!one.cut(socket)) {
                break;
            }
            if (!exists(one, RestoringNode.JOURNAL) || one.journal("step").equals("SERVING")) {
                continue;
            }
            one.undo();
            assertAsBefore(one, before);
            assertEquals(4, one.running().size(), one.running()::toString);
            undone++;
        }
        assertTrue(undone > 10, "undone: " + undone);
    }

    private List<Path> asideOf(RestoringNode one, String word) {
        return one.lab.init.files.files().stream()
                .filter(path -> path.endsWith("data"))
                .filter(path -> !path.startsWith(RestoringNode.MEMBER))
                .filter(path -> one.lab.init.files.text(path.toString()).equals(word))
                .toList();
    }

    /** A restore was given up; kubeadm reset the node, which leaves the journal, and joined it. */
    @Test
    void anUndoLeavesAMemberThatHasJoinedSince() {
        node.exitStatus = 1;
        assertThrows(ClusterException.class, node::restore);
        before.forEach((component, text) -> node.lab.init.files.with(
                "/etc/kubernetes/manifests/%s.yaml".formatted(component), text + "# joined\n"));
        node.data("of the new member", RestoringNode.STRANGER);
        node.lab.waiter.pause("", "", Duration.ofSeconds(30));
        Map<String, String> joined = node.manifests();

        HostException refusal = assertThrows(HostException.class, node::undo);

        assertEquals(Optional.of(RestoreReason.SET_UP_SINCE), refusal.reason());
        assertTrue(Named.files(refusal.next()).contains("/etc/kubernetes/tmp/kjadm-restore"));
        assertEquals("of the new member", data(node));
        assertEquals(joined, node.manifests());
        assertEquals(4, node.running().size());
        UnfinishedOperations.on(node.lab.init.files).require(ChangingCommand.UPGRADING);
        assertThrows(HostException.class, node::restore);
        assertEquals("of the new member", data(node));
        assertEquals(joined, node.manifests());
    }

    @Test
    void anUndoKeepsTheDataThatWereMade() {
        node.etcdFails = true;
        assertReason(CommonReason.TIMED_OUT, ClusterException.class, node::restore);
        node.etcdFails = false;

        node.undo();

        assertAsBefore(node, before);
        List<Path> kept = asideOf(node, "of the snapshot");
        assertEquals(1, kept.size(), kept::toString);
        assertTrue(kept.getFirst().toString().startsWith("/var/lib/etcd.undone-"), kept::toString);
        assertTrue(
                node.lab.out.text().contains(kept.getFirst().getParent().toString()),
                node.lab.out::text);
    }

    @Test
    void anUndoKeepsAManifestThatWasWrittenMeanwhile() {
        node.etcdFails = true;
        assertThrows(ClusterException.class, node::restore);
        node.lab.init.files.with("/etc/kubernetes/manifests/kube-scheduler.yaml", "newer");

        node.undo();

        assertAsBefore(node, before);
        assertTrue(
                node.lab.init.files.files().stream()
                        .filter(path -> path.startsWith("/etc/kubernetes/tmp"))
                        .anyMatch(path ->
                                node.lab.init.files.text(path.toString()).equals("newer")),
                "the newer manifest is lost");
    }

    @Tag("power-cut")
    @Test
    void wherePowerGoesDuringAnUndoItIsFinishedByAnother() {
        int cuts = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            RestoringNode one = new RestoringNode(1);
            one.etcdFails = true;
            assertReason(CommonReason.TIMED_OUT, ClusterException.class, one::restore);
            one.etcdFails = false;
            if (!one.cutUndo(socket)) {
                break;
            }
            cuts = socket.step();
            if (exists(one, RestoringNode.JOURNAL)) {
                if (Boolean.TRUE.equals(one.journal("undoing"))) {
                    assertThrows(HostException.class, one::restore);
                }
                one.undo();
            }
            assertAsBefore(one, before);
            assertEquals(4, one.running().size(), one.running()::toString);
            assertEquals(1, asideOf(one, "of the snapshot").size(), socket::toString);
        }
        assertTrue(cuts > 8, "cuts: " + cuts);
    }

    /** The API server did not become ready in time; then etcd was lost once more. */
    @Test
    void aRestoreThatServesMakesWayForAnother() {
        RestoringNode one = cutOnceServed(false);
        one.lab.init.files.with("/root/backup.db", SnapshotBytes.atRevision(300));

        HostException refusal = assertThrows(HostException.class, one::undo);
        assertEquals(
                "finish it: kjadm etcd snapshot restore 20261120t100000z-0afd; or restore another snapshot: the data in place are set aside then",
                refusal.next());
        one.restoreFile("/root/backup.db");

        assertRestored(one);
        assertEquals(1, asideOf(one, "of the snapshot").size());
    }

    /** The machine boots, and the same command runs before its etcd; clients may have written. */
    @Test
    void whatServedBeforeTheBootIsNotRestoredAgain() {
        for (boolean survivor : List.of(false, true)) {
            RestoringNode one = cutOnceServed(survivor);
            one.freeBytes = 0;
            one.etcdFails = true;
            one.lab.waiter.pause("", "", Duration.ofSeconds(1));
            Instant back = one.lab.waiter.now().plus(Duration.ofMinutes(1));
            one.lab.waiter.eachTime(() -> one.etcdFails &= one.lab.waiter.now().isBefore(back));

            one.restore();

            assertRestored(one);
            assertEquals(List.of(), asideOf(one, "of the snapshot"));
        }
    }

    @Test
    void whatServedAndDoesNotComeBackIsTold() {
        RestoringNode one = cutOnceServed(false);
        one.etcdFails = true;
        one.lab.waiter.pause("", "", Duration.ofSeconds(1));

        ClusterException failure = assertThrows(ClusterException.class, one::restore);

        assertEquals(Optional.of(CommonReason.TIMED_OUT), failure.reason());
        assertEquals(Set.of("/var/lib/etcd/member"), Named.files(failure.next()));
        assertEquals("of the snapshot", data(one));
    }

    /** Killed before its API server was started, a recovery is resumed though etcd is healthy. */
    @Test
    void aRecoveryWhoseDataAreServedIsStillToBeFinished() {
        RestoringNode one = cutOnceServed(true);

        assertEquals(
                Optional.of("survivor-cp-1"),
                RestorePlan.begun(one.lab.init.files, one.etcd(one.lab.init.files)));
        one.restore();

        assertRestored(one);
        assertEquals(
                Optional.empty(),
                RestorePlan.begun(one.lab.init.files, one.etcd(one.lab.init.files)));
    }

    private static RestoringNode cutOnceServed(boolean survivor) {
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            RestoringNode one = new RestoringNode(1);
            assertTrue((survivor ? one.surviving() : one).cut(socket));
            if (exists(one, RestoringNode.JOURNAL) && served(one)) {
                return one;
            }
        }
        throw new AssertionError("it never serves");
    }

    private static boolean served(RestoringNode one) {
        return one.journal("step").equals("SERVING");
    }

    /** Journals of earlier releases tell less. */
    @Test
    void theJournalOfAnEarlierReleaseIsResumedAndUndone() {
        for (boolean undo : List.of(true, false)) {
            RestoringNode one = new RestoringNode(1);
            one.exitStatus = 1;
            assertThrows(ClusterException.class, one::restore);
            one.exitStatus = 0;
            String journal = one.lab.init.files.text(RestoringNode.JOURNAL);
            one.lab.init.files.with(
                    RestoringNode.JOURNAL, journal.replaceAll("(?s),\\s*\"data\".*\\}", "\n}"));
            if (undo) {
                one.undo();
                assertAsBefore(one, before);
            } else {
                one.restore();
                assertRestored(one);
            }
        }
    }
}
