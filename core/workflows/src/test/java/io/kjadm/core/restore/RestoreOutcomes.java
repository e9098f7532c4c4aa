package io.kjadm.core.restore;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** What a restore has left on a {@link RestoringNode}. */
final class RestoreOutcomes {

    private RestoreOutcomes() {}

    static boolean exists(RestoringNode one, String path) {
        return one.lab.init.files.exists(Path.of(path));
    }

    static String data(RestoringNode one) {
        return one.lab.init.files.text(RestoringNode.DATA);
    }

    static void assertRestored(RestoringNode one) {
        one.lab.waiter.pause("", "", Duration.ofSeconds(1));
        assertEquals("of the snapshot", data(one));
        assertEquals(4, one.running().size(), one.running()::toString);
        String etcd = one.manifests().get("etcd");
        assertHasLine("- --initial-cluster=cp-1=https://192.0.2.10:2380", etcd);
        assertHasLine("- --initial-cluster-state=existing", etcd);
        assertFalse(exists(one, RestoringNode.JOURNAL));
        assertFalse(exists(one, RestoringNode.WORK));
        assertTrue(exists(one, "/var/lib/etcd/kjadm-member"));
        assertFalse(exists(one, "/etc/kubernetes/manifests/kjadm-etcd-restore.yaml"));
        assertFalse(one.founded, "etcd ran without data");
        assertTrue(
                one.lab.init.files.list(Path.of("/var/lib")).stream()
                        .anyMatch(
                                path -> path.getFileName().toString().startsWith("etcd.replaced-")),
                "the previous data were deleted");
    }

    static void assertAsBefore(RestoringNode one, Map<String, String> manifests) {
        assertEquals("old", data(one));
        assertEquals(manifests, one.manifests());
        assertFalse(exists(one, RestoringNode.JOURNAL));
        assertFalse(exists(one, RestoringNode.WORK));
        assertFalse(one.founded, "etcd ran without data");
    }

    static RestoringNode withOthersStopped() {
        RestoringNode one = new RestoringNode(3);
        one.etcd.stop(one.etcd.id("cp-2"));
        one.etcd.stop(one.etcd.id("cp-3"));
        return one;
    }

    static ClusterException assertRefused(RestoringNode one) {
        Map<String, String> manifests = one.manifests();
        ClusterException refusal = assertThrows(ClusterException.class, one::restore);
        assertAsBefore(one, manifests);
        assertEquals(4, one.running().size());
        return refusal;
    }
}
