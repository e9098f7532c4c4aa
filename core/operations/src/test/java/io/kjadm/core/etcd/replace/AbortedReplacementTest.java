package io.kjadm.core.etcd.replace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.join.FailReason;
import io.kjadm.etcd.join.NewMember;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** An operator aborts a replacement whose new member nobody started, and later replaces another. */
class AbortedReplacementTest {

    private static final Path NOTES = Path.of("/etc/kubernetes/tmp/kjadm-etcd-replace");
    private static final NewMember OTHER =
            NewMember.elsewhere("other", List.of(SimulatedCluster.peerUrl("other")));

    /** This etcd lets the dead one leave first. */
    private final ReplaceLab lab = new ReplaceLab(SimulatedCluster.ofVoters(5, "3.5.29"));

    private ClusterException nobodyStartsTheNewOne() {
        lab.nobodyStarts();
        lab.ops.etcd.stop(lab.ops.etcd.id("cp-2"));
        ClusterException end = assertThrows(ClusterException.class, () -> lab.run("cp-2"));
        assertEquals(Optional.of(FailReason.STALLED), end.reason());
        Member learner = lab.ops.etcd.members().stream()
                .filter(Member::learner)
                .findFirst()
                .orElseThrow();
        lab.ops.etcd.removeByOther(learner.id());
        return end;
    }

    private void anotherIsReplaced() {
        lab.somebodyStarts();
        lab.ops.etcd.stop(lab.ops.etcd.id("cp-3"));
        lab.run("cp-3", OTHER, false, Confirmation.GIVEN);
        assertEquals("cp-1 cp-4 cp-5 other", lab.voters());
        assertFalse(lab.journalLeft());
    }

    @Test
    void theAdviceNamesAllThatIsNoted() {
        ClusterException end = nobodyStartsTheNewOne();
        assertTrue(end.next().endsWith("delete the directory " + NOTES), end.next());
        lab.ops.files.deleteTree(NOTES);
        anotherIsReplaced();
    }

    /** Earlier releases told to delete this file alone. */
    @Test
    void whatIsLeftOfItsJoinIsNotInTheWayOfTheNextReplacement() {
        nobodyStartsTheNewOne();
        lab.ops.files.delete(NOTES.resolve("journal.json"));
        assertTrue(lab.journalLeft(), "the note of the new member's join");
        anotherIsReplaced();
    }
}
