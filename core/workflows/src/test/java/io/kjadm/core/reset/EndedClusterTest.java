package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.leave.RemovalState.Reason;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The only voter is reset, and a join that does not need the API server goes on elsewhere. */
class EndedClusterTest {

    private static final Path SNAPSHOTS = Path.of("/var/lib/kjadm-snapshots");

    private final ResetLab lab = new ResetLab();

    EndedClusterTest() {
        lab.voters(1);
    }

    private void anotherJoins() {
        lab.etcd.plant(SimulatedCluster.peerUrl("cp-2"), false);
        lab.etcd.start(lab.etcd.members().getLast().id(), "cp-2");
        lab.files.with(
                ResetLab.DATA + "/member/snap/db", SnapshotBytes.listing(lab.etcd.members()));
    }

    private void killedInRemoved() {
        lab.dataOf(0xa001);
        lab.failpoints =
                Failpoints.from(Map.of(Failpoints.VARIABLE, ResetState.REMOVED + ":after=error"));
        assertThrows(PhaseFailure.class, lab::ended);
        lab.failpoints = Failpoints.none();
    }

    private static Optional<?> reason(PhaseFailure failure) {
        return assertInstanceOf(KjadmException.class, failure.getCause()).reason();
    }

    @Test
    void aVoterThatComesWhileTheSnapshotIsTakenStopsIt() {
        Map<Path, String> before = lab.contents();
        boolean[] joined = {false};
        lab.etcd.beforeList(() -> {
            if (!joined[0] && !lab.files.list(SNAPSHOTS).isEmpty()) {
                joined[0] = true;
                anotherJoins();
            }
        });
        PhaseFailure failure = assertThrows(PhaseFailure.class, lab::ended);
        assertEquals(Optional.of(Reason.NEEDED_FOR_QUORUM), reason(failure));
        assertTrue(lab.listed("cp-1"));
        assertTrue(lab.etcd.writable());
        assertTrue(lab.contents().keySet().containsAll(before.keySet()), "it is put back");
    }

    @Test
    void aVoterThatHasComeSinceTheResetWasKilledIsNotLeftAlone() {
        killedInRemoved();
        anotherJoins();
        lab.ended().conclude();
        assertFalse(lab.listed("cp-1"));
        assertTrue(lab.etcd.writable());
        lab.assertClean();
    }

    @Test
    void whereItsEtcdWasTakenOutAlreadyItIsPutBack() {
        killedInRemoved();
        anotherJoins();
        Path manifest = ResetLab.MANIFESTS.resolve("etcd.yaml");
        lab.files.rename(manifest, ResetLab.ASIDE.resolve("etcd.yaml"));
        lab.boot();
        PhaseFailure failure = assertThrows(PhaseFailure.class, lab::ended);
        assertInstanceOf(ClusterException.class, failure.getCause());
        assertEquals(Optional.of(Reason.NEEDED_FOR_QUORUM), reason(failure));
        assertTrue(lab.files.exists(manifest));
        assertTrue(lab.files.exists(ResetLab.DATA.resolve("member/snap/db")));
        lab.boot();
        lab.ended().conclude();
        assertFalse(lab.listed("cp-1"));
        lab.assertClean();
    }
}
