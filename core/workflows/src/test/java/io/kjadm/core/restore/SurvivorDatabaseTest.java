package io.kjadm.core.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.check.WalFile;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A survivor's own database is what is restored, whole, and nothing of it is lost on the way. */
class SurvivorDatabaseTest {

    private final RestoringNode node = new RestoringNode(1).surviving();
    private final Map<String, String> before = node.manifests();

    private static boolean exists(RestoringNode one, String path) {
        return one.lab.init.files.exists(Path.of(path));
    }

    private static void assertRecovered(RestoringNode one) {
        one.lab.waiter.pause("", "", Duration.ofSeconds(1));
        assertEquals("of the snapshot", one.lab.init.files.text(RestoringNode.DATA));
        assertEquals(4, one.running().size(), one.running()::toString);
        assertFalse(exists(one, RestoringNode.JOURNAL));
        assertFalse(exists(one, RestoringNode.WORK));
        assertFalse(one.founded, "etcd ran without data");
        assertTrue(
                one.lab.init.files.list(Path.of("/var/lib")).stream()
                        .filter(path -> path.getFileName().toString().startsWith("etcd.replaced-"))
                        .anyMatch(path -> one.lab.init.files.exists(path.resolve("snap/db"))),
                "the previous data were deleted");
    }

    private void assertAsBefore(RestoringNode one) {
        assertEquals("old", one.lab.init.files.text(RestoringNode.DATA));
        assertTrue(exists(one, RestoringNode.DATABASE));
        assertEquals(before, one.manifests());
        assertFalse(exists(one, RestoringNode.JOURNAL));
        assertFalse(one.founded, "etcd ran without data");
    }

    @Test
    void itIsCopiedOnceEtcdIsStopped() {
        node.restore();

        assertRecovered(node);
    }

    @Test
    void oneThatIsDamagedIsFoundAndPutBack() {
        byte[] damaged = SnapshotBytes.database(200, 0);
        damaged[4 * SnapshotBytes.PAGE + 40] ^= 1;
        node.lab.init.files.with(RestoringNode.DATABASE, damaged);

        ClusterException refusal = assertThrows(ClusterException.class, node::restore);

        assertEquals(Optional.of(CommonReason.DAMAGED), refusal.reason());
        node.undo();
        assertAsBefore(node);
        assertEquals(4, node.running().size());
    }

    @Test
    void oneThatLacksWhatItsLogCommitsIsNotTaken() {
        WalFile log = new WalFile().startFile(0);
        log.record(
                1, WalFile.message().addField(1, WalFile.number(7)).addField(2, WalFile.number(8)));
        // the database has entry 9
        for (int index = 9; index <= 12; index++) {
            log.record(
                    WalFile.ENTRY,
                    WalFile.message()
                            .addField(2, WalFile.number(2))
                            .addField(3, WalFile.number(index))
                            .addField(4, WalFile.string("put")));
        }
        log.record(
                3,
                WalFile.message().addField(1, WalFile.number(2)).addField(3, WalFile.number(11)));
        node.lab.init.files.with(RestoringNode.WAL, log.content());

        ClusterException refusal = assertThrows(ClusterException.class, node::restore);

        assertEquals("the database of cp-1 lacks 2 entries that are committed", refusal.what());
        assertFalse(exists(node, RestoringNode.WORK + "/snapshot.db"));
        node.undo();
        assertEquals(4, node.running().size());
    }

    /** The copy and the data that are made of it lie beside the former ones. */
    @Test
    void withoutRoomNothingIsChanged() {
        long database = node.lab.init.files.treeBytes(Path.of(RestoringNode.DATABASE));
        node.freeBytes = (database * 22 / 10) + (256L << 20) - 1;

        HostException refusal = assertThrows(HostException.class, node::restore);

        assertEquals(Optional.of(CommonReason.NO_SPACE), refusal.reason());
        assertAsBefore(node);
        assertEquals(4, node.running().size());

        node.freeBytes++;
        node.restore();

        assertRecovered(node);
    }

    @Test
    void anotherSourceIsRefusedWhileItIsNotFinished() {
        node.exitStatus = 1;
        assertThrows(ClusterException.class, node::restore);
        String journal = node.lab.init.files.text(RestoringNode.JOURNAL);
        assertEquals("survivor-cp-1", node.journal("snapshot"));
        node.lab.init.files.with(
                RestoringNode.JOURNAL, journal.replace("survivor-cp-1", "another"));

        HostException refusal = assertThrows(HostException.class, node::restore);

        assertEquals(
                "finish it (kjadm etcd recover --apply), or undo it (kjadm etcd snapshot restore --undo)",
                refusal.next());
    }

    @Tag("power-cut")
    @Test
    void wherePowerGoesTheSameCommandGoesOn() {
        int cuts = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            RestoringNode one = new RestoringNode(1).surviving();
            if (!one.cut(socket)) {
                break;
            }
            cuts = socket.step();
            boolean ended = !exists(one, RestoringNode.JOURNAL)
                    && one.lab.init.files.text(RestoringNode.DATA).equals("of the snapshot");
            if (!ended) {
                one.restore();
            }
            assertRecovered(one);
        }
        assertTrue(cuts > 20, "cuts: " + cuts);
    }

    @Tag("power-cut")
    @Test
    void wherePowerGoesBeforeEtcdServesEverythingCanBePutBack() {
        int undone = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            RestoringNode one = new RestoringNode(1).surviving();
            if (!one.cut(socket)) {
                break;
            }
            if (!exists(one, RestoringNode.JOURNAL) || one.journal("step").equals("SERVING")) {
                continue;
            }
            one.undo();
            assertAsBefore(one);
            assertEquals(4, one.running().size(), one.running()::toString);
            undone++;
        }
        assertTrue(undone > 10, "undone: " + undone);
    }

    @Test
    void anotherMemberThatServesStopsIt() {
        RestoringNode one = new RestoringNode(3).surviving();

        ClusterException refusal = assertThrows(ClusterException.class, one::restore);

        assertEquals(Set.of("cp-1", "cp-2", "cp-3"), Named.members(refusal.why()));
        assertEquals(List.of("old"), List.of(one.lab.init.files.text(RestoringNode.DATA)));
    }
}
