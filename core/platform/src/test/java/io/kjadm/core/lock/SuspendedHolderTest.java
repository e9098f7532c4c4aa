package io.kjadm.core.lock;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.CommonReason;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** A machine that was suspended does not know that time has passed. */
class SuspendedHolderTest extends LeaseLab {

    /** The clock of a suspended machine stands still, and so does its background. */
    private HeldLock suspended(String node) {
        return lock(() -> api, node, "1", Scheduler.NEVER, new VirtualWaiter()).take(JOIN, WAIT);
    }

    @Test
    void whoWasSuspendedDoesNotHoldWhatAnotherHasTakenOver() {
        HeldLock first = suspended("cp-1");
        HeldLock second = taken("cp-2");
        second.requireHeld();
        assertTrue(held(first), "by its clock no time has passed");
        assertReason(CommonReason.LOCK_LOST, ClusterException.class, first::requireHeld);
        String lost = expired(first).orElseThrow();
        assertTrue(lost.contains(record().holder().toString()), lost);
        assertEquals("cp-2", record().holder().node());
        assertEquals(List.of(), out.warnings(), "the refusal tells it");
    }

    @Test
    void norWhereItsConnectionsAreDead() {
        HeldLock first = suspended("cp-1");
        taken("cp-2");
        api.failing(1, Kind.UNREACHABLE);
        assertReason(CommonReason.LOCK_LOST, ClusterException.class, first::requireHeld);
    }

    @Test
    void norWhatAnotherHasGivenBackSince() {
        HeldLock first = suspended("cp-1");
        taken("cp-2").close();
        assertReason(CommonReason.LOCK_LOST, ClusterException.class, first::requireHeld);
        assertTrue(LockRecord.of(lease()).isEmpty(), "it is not taken again without a look");
    }

    @Test
    void whoWasSuspendedAndStillHoldsItRenewsIt() {
        HeldLock first = suspended("cp-1");
        first.tell(JOIN.at("63 % caught up"));
        first.requireHeld();
        assertEquals("63 % caught up", record().work().progress());
        assertEquals(1, replaced(), "one guarded write");
    }

    @Test
    void aLabelBySomebodyElseDoesNotKeepAChangeFromBeingMade() {
        HeldLock turn = neverRenewing("cp-1").take(JOIN, WAIT);
        api.patch(Lease.class, "kube-system", "kjadm-etcd-membership", lease -> {
            lease.getMetadata().getAnnotations().put("example.org/watched", "yes");
            return lease;
        });
        pass(Duration.ofSeconds(59));
        turn.requireHeld();
        assertEquals(waiter.now(), lease().getSpec().getRenewTime().toInstant());
    }

    @Test
    void whereNobodyAnswersTheClockDecidesWhetherItIsHeld() {
        HeldLock turn = neverRenewing("cp-1").take(JOIN, WAIT);
        api.down(Kind.UNREACHABLE);
        pass(Duration.ofSeconds(59));
        turn.requireHeld();
        pass(Duration.ofSeconds(1));
        assertReason(CommonReason.LOCK_LOST, ClusterException.class, turn::requireHeld);
    }

    private long replaced() {
        return api.writes().stream().filter(call -> call.startsWith("replace")).count();
    }
}
