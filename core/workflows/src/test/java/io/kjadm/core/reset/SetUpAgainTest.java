package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.leave.RemovalState.Reason;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.phase.PhaseFailure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A reset was killed, another program has reset the node and set it up again, and it is reset once
 * more: kubeadm leaves the journal where it is.
 */
class SetUpAgainTest {

    private final ResetLab lab = new ResetLab();

    @ParameterizedTest
    @EnumSource(names = {"REMOVED", "STOPPED", "CLEANING"})
    void aLaterMemberLeavesFirst(ResetState state) {
        lab.noted(state, "b001", "c1");
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
        lab.assertClean();
    }

    /** A cluster that begins again at the same address has the IDs of the one before. */
    @ParameterizedTest
    @EnumSource(names = {"REMOVED", "STOPPED", "CLEANING"})
    void soDoesOneThatHasTheIdsOfTheOneBefore(ResetState state) {
        lab.dataOf(0xa001);
        lab.noted(state, "a001", "c1");
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
        lab.assertClean();
    }

    @Test
    void itStaysIfTheOthersNeedIt() {
        lab.dataOf(0xa001);
        lab.noted(ResetState.REMOVED, "a001", "c1");
        lab.etcd.stop(lab.etcd.id("cp-3"));
        PhaseFailure failure = assertThrows(PhaseFailure.class, lab::reset);
        assertEquals(
                Optional.of(Reason.NEEDED_FOR_QUORUM),
                ((KjadmException) failure.getCause()).reason());
        assertTrue(lab.files.exists(ResetLab.DATA.resolve("member/wal/0.wal")));
        assertTrue(lab.files.exists(ResetLab.MANIFESTS.resolve("etcd.yaml")));
    }

    @Test
    void aClusterOfAnotherIdIsTheNodesOwnToo() {
        lab.noted(ResetState.REMOVED, "b001", "c9");
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
    }

    /** The snapshot of the cluster before may be the last copy of it. */
    @ParameterizedTest
    @ValueSource(strings = {"SNAPSHOT", "REMOVED"})
    void theLastSnapshotOfTheClusterBeforeStays(String state) {
        Path earlier = Path.of("/var/lib/kjadm-snapshots/etcd-c1-20260101-000000.db");
        lab.voters(1);
        lab.dataOf(0xa001);
        lab.files.with(earlier.toString(), "earlier");
        lab.files.with(ResetLab.ASIDE + "/journal.json", """
                {"state": "%s", "criSocket": "unix:///run/c.sock", "at": "2026-01-01T00:00:00Z",
                 "memberId": "a001", "clusterId": "c1", "snapshot": "%s"}
                """.formatted(state, earlier));
        lab.ended().conclude();
        assertEquals("earlier", lab.files.text(earlier.toString()));
        assertEquals(
                List.of(earlier, Path.of("/var/lib/kjadm-snapshots/etcd-c1-20260203-040506.db")),
                lab.files.list(earlier.getParent()));
    }
}
