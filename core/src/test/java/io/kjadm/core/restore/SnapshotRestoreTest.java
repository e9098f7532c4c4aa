package io.kjadm.core.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.join.PowerCut;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.manifests.EtcdPod;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A node gets the data of a snapshot, or keeps those it had, and never stays in between. */
class SnapshotRestoreTest {

    private final RestoringNode node = new RestoringNode(1);
    private final Map<String, String> before = node.manifests();

    private static boolean exists(RestoringNode one, String path) {
        return one.lab.init.files.exists(Path.of(path));
    }

    private static String data(RestoringNode one) {
        return one.lab.init.files.text(RestoringNode.DATA);
    }

    private static void assertRestored(RestoringNode one) {
        one.lab.waiter.pause("", "", Duration.ofSeconds(1));
        assertEquals("of the snapshot", data(one));
        assertEquals(4, one.running().size(), one.running()::toString);
        String etcd = one.manifests().get("etcd");
        assertTrue(etcd.contains("--initial-cluster=cp-1=https://192.0.2.10:2380"), etcd);
        assertTrue(etcd.contains("--initial-cluster-state=existing"), etcd);
        assertFalse(exists(one, RestoringNode.JOURNAL));
        assertFalse(exists(one, RestoringNode.WORK));
        assertFalse(exists(one, "/etc/kubernetes/manifests/kjadm-etcd-restore.yaml"));
        assertFalse(one.founded, "etcd ran without data");
        assertTrue(
                one.lab.init.files.list(Path.of("/var/lib")).stream()
                        .anyMatch(path -> path.toString().contains("etcd.replaced-")),
                "the former data are gone");
    }

    private static void assertAsBefore(RestoringNode one, Map<String, String> manifests) {
        assertEquals("old", data(one));
        assertEquals(manifests, one.manifests());
        assertFalse(exists(one, RestoringNode.JOURNAL));
        assertFalse(exists(one, RestoringNode.WORK));
        assertFalse(one.founded, "etcd ran without data");
    }

    @Test
    void theDataAreThoseOfTheSnapshotAndTheFormerOnesAreKept() {
        node.restore();

        assertRestored(node);
    }

    @Test
    void anotherMemberThatServesStopsIt() {
        RestoringNode one = new RestoringNode(3);
        Map<String, String> manifests = one.manifests();

        ClusterException refusal = assertThrows(ClusterException.class, one::restore);

        assertTrue(refusal.why().contains("cp-2"), refusal::toString);
        assertTrue(refusal.why().contains("cp-3"), refusal::toString);
        assertAsBefore(one, manifests);
    }

    /** The manifest of the node that founded the cluster names no other. */
    @Test
    void membersThatOnlyTheApiServerKnowsStopItToo() {
        RestoringNode one = new RestoringNode(3);
        one.etcdFails = true;
        one.lab.waiter.pause("", "", Duration.ofSeconds(1));
        one.lab.api.with(new PodBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("etcd-cp-2")
                .addToLabels("component", "etcd")
                .addToLabels("tier", "control-plane")
                .addToAnnotations(EtcdPod.CLIENT_URLS_ANNOTATION, "https://cp-2:2379")
                .endMetadata()
                .build());
        Map<String, String> manifests = one.manifests();

        ClusterException refusal = assertThrows(ClusterException.class, one::restore);

        assertTrue(refusal.why().contains("cp-2"), refusal::toString);
        assertAsBefore(one, manifests);
    }

    @Test
    void othersThatAreGoneAreLeftBehind() {
        RestoringNode one = new RestoringNode(3);
        one.etcd.stop(one.etcd.id("cp-2"));
        one.etcd.stop(one.etcd.id("cp-3"));
        one.etcd.removeByOther(one.etcd.id("cp-2"));
        one.etcd.removeByOther(one.etcd.id("cp-3"));

        one.restore();

        assertRestored(one);
    }

    @Test
    void etcdutlThatFailsIsToldAndEverythingCanBePutBack() {
        node.exitStatus = 1;

        ClusterException failure = assertThrows(ClusterException.class, node::restore);

        assertTrue(failure.what().contains("status 1"), failure::toString);
        assertTrue(node.running().isEmpty(), node.running()::toString);
        node.undo();
        assertAsBefore(node, before);
        assertEquals(4, node.running().size());
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

        assertThrows(KjadmException.class, node::restore);

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

        assertTrue(refusal.what().contains("no room"), refusal::toString);
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

    @Test
    void whereNothingIsUnderWayNothingIsUndone() {
        assertThrows(HostException.class, node::undo);
        node.restore();
        assertThrows(HostException.class, node::undo);
        assertRestored(node);
    }

    @Test
    void wherePowerGoesTheSameCommandGoesOn() {
        int cuts = 0;
        for (int step = 1; ; step++, cuts++) {
            RestoringNode one = new RestoringNode(1);
            if (!one.cut(new PowerCut.Socket(step))) {
                break;
            }
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
    void wherePowerGoesBeforeEtcdServesEverythingCanBePutBack() {
        int undone = 0;
        for (int step = 1; ; step++) {
            RestoringNode one = new RestoringNode(1);
            if (!one.cut(new PowerCut.Socket(step))) {
                break;
            }
            if (!exists(one, RestoringNode.JOURNAL)
                    || one.lab.init.files.text(RestoringNode.JOURNAL).contains("SERVING")) {
                continue;
            }
            one.undo();
            assertAsBefore(one, before);
            assertEquals(4, one.running().size(), one.running()::toString);
            undone++;
        }
        assertTrue(undone > 10, "undone: " + undone);
    }

    @Test
    void anotherSnapshotIsRefusedWhileOneIsNotFinished() {
        node.exitStatus = 1;
        assertThrows(ClusterException.class, node::restore);
        String journal = node.lab.init.files.text(RestoringNode.JOURNAL);
        node.lab.init.files.with(
                RestoringNode.JOURNAL, journal.replace(node.snapshot.name(), "another"));

        HostException refusal = assertThrows(HostException.class, node::restore);

        assertTrue(refusal.what().contains("another"), refusal::toString);
        assertEquals(List.of(), node.running());
    }
}
