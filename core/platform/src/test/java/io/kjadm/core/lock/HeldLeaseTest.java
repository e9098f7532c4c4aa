package io.kjadm.core.lock;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.MemberId;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The lock while it is held: its lease is renewed, lost or given back. */
class HeldLeaseTest extends LeaseLab {

    @Test
    void itIsGivenBackWithoutATraceOfTheHolder() {
        HeldLock turn = taken("cp-1");
        turn.close();
        turn.close();
        assertNull(lease().getSpec().getHolderIdentity());
        assertTrue(LockRecord.of(lease()).isEmpty());
        assertEquals(
                1,
                api.writes().stream().filter(call -> call.startsWith("replace")).count());
        assertTrue(lease().getMetadata().getAnnotations() == null
                || lease().getMetadata().getAnnotations().isEmpty());
    }

    @Test
    void itIsRenewedEveryTenSecondsWithWhatIsTold() {
        HeldLock turn = taken("cp-1");
        turn.tell(new Work("join", Optional.of(new MemberId(0x8e9eL)), "63 % caught up"));
        pass(Duration.ofSeconds(9));
        assertTrue(record().work().member().isEmpty(), "telling costs no request");
        pass(Duration.ofSeconds(91));
        assertEquals(
                10,
                api.writes().stream().filter(call -> call.startsWith("replace")).count());
        assertEquals(
                "join on node cp-1 (run 1), member 8e9e, since 2026-02-03T04:05:06Z: "
                        + "63 % caught up (reached at 2026-02-03T04:05:16Z)",
                record().toString());
        assertTrue(held(turn));
        assertEquals(1, lease().getSpec().getLeaseTransitions());
    }

    @Test
    void aShortOutageTakesTheLockFromNobody() {
        HeldLock first = taken("cp-1");
        waiter.after(Duration.ofSeconds(30), () -> api.failing(55, Kind.UNREACHABLE));
        assertReason(CommonReason.TIMED_OUT, ClusterException.class, () -> taken("cp-2"));
        assertTrue(held(first));
        assertEquals(List.of(), out.warnings());
    }

    @Test
    void aTurnThatWasTakenAwayIsLostAndLeftAlone() {
        HeldLock turn = taken("cp-1");
        api.with(
                LockRecord.begun(new LockHolder("cp-2", "7"), Work.beginning("reset"), waiter.now())
                        .newLease(waiter.now()));
        pass(Duration.ofSeconds(60));
        String lost = expired(turn).orElseThrow();
        assertTrue(lost.contains(new LockHolder("cp-2", "7").toString()), lost);
        assertEquals(1, out.warnings().size(), out.warnings().toString());
        List<String> calls = List.copyOf(api.calls());
        turn.close();
        assertEquals(calls, api.calls(), "it is not this run's to give back");
        assertEquals("cp-2", record().holder().node());
    }

    @Test
    void whoDeletesTheLeaseEndsTheTurn() {
        HeldLock turn = taken("cp-1");
        api.delete(Lease.class, "kube-system", "kjadm-etcd-membership");
        pass(Duration.ofSeconds(10));
        assertEquals(Optional.of("another client released or deleted the Lease"), expired(turn));
        turn.close();
        assertEquals(List.of(), api.objects());
    }

    @Test
    void aLabelBySomebodyElseDoesNotEndTheTurn() {
        HeldLock turn = taken("cp-1");
        api.patch(Lease.class, "kube-system", "kjadm-etcd-membership", lease -> {
            lease.getMetadata().getAnnotations().put("example.org/watched", "yes");
            return lease;
        });
        pass(Duration.ofSeconds(10));
        assertTrue(held(turn));
        assertEquals(
                waiter.now(),
                lease().getSpec().getRenewTime().toInstant(),
                "renewed all the same, and at once");
        assertEquals(List.of(), out.details());
        assertEquals("yes", lease().getMetadata().getAnnotations().get("example.org/watched"));
        turn.close();
        assertEquals("yes", lease().getMetadata().getAnnotations().get("example.org/watched"));
        assertEquals(List.of(), out.warnings());
    }

    @Test
    void aTurnThatCannotBeRenewedIsOverdueUntilItCan() {
        HeldLock turn = taken("cp-1");
        api.failing(28, Kind.UNREACHABLE);
        pass(Duration.ofSeconds(59));
        assertTrue(held(turn));
        assertEquals(List.of(), out.warnings());
        assertTrue(
                out.details().getFirst().contains(Kind.UNREACHABLE.name()),
                out.details().toString());
        pass(Duration.ofSeconds(3));
        String overdue = expired(turn).orElseThrow();
        assertTrue(overdue.startsWith("the Lease was not renewed for 6"), overdue);
        assertTrue(overdue.contains(Kind.UNREACHABLE.name()), overdue);
        pass(Duration.ofSeconds(20));
        assertTrue(held(turn), "another node took the lock");
        assertEquals(1, out.warnings().size(), out.warnings().toString());
    }

    @Test
    void aTurnIsOverdueFromTheMomentItsLeaseEnds() {
        HeldLock turn = neverRenewing("cp-1").take(JOIN, WAIT);
        pass(Duration.ofSeconds(59));
        assertEquals(Optional.empty(), expired(turn));
        pass(Duration.ofSeconds(1));
        assertEquals(Optional.of("the Lease was not renewed for 60 s"), expired(turn));
    }

    @Test
    void aTurnThatIsOverIsNotRenewed() {
        for (boolean lost : new boolean[] {false, true}) {
            List<Supplier<Duration>> renewals = new ArrayList<>();
            List<String> ends = new ArrayList<>();
            HeldLock turn = lock(
                            () -> api,
                            "cp-1",
                            "1",
                            (name, first, work) -> {
                                renewals.add(work);
                                return () -> ends.add(name);
                            },
                            waiter)
                    .take(JOIN, WAIT);
            if (lost) {
                api.delete(Lease.class, "kube-system", "kjadm-etcd-membership");
                var _ = renewals.getFirst().get();
                assertEquals(
                        Optional.of("another client released or deleted the Lease"), expired(turn));
            } else {
                turn.close();
                assertEquals(List.of("membership-lock"), ends);
            }
            List<String> calls = List.copyOf(api.calls());
            assertEquals(Duration.ofSeconds(10), renewals.getFirst().get());
            assertEquals(calls, api.calls());
        }
    }

    @Test
    void aStoppedRunStillGivesBackWhatItHolds() {
        HeldLock turn = taken("cp-1");
        Thread.currentThread().interrupt();
        turn.close();
        assertTrue(Thread.interrupted(), "the request to stop stays");
        assertTrue(LockRecord.of(lease()).isEmpty());
    }

    @Test
    void aRunThatIsAskedToStopDoesNotGoOnWithoutTheLock() {
        api.down(Kind.OTHER);
        Thread.currentThread().interrupt();
        assertThrows(ClusterException.class, () -> taken("cp-1"));
        assertTrue(Thread.interrupted());
    }

    @Test
    void whatCannotBeGivenBackExpires() {
        HeldLock turn = taken("cp-1");
        api.failing(1, Kind.UNREACHABLE);
        turn.close();
        pass(Duration.ofSeconds(30));
        assertEquals(List.of(), out.warnings());
        assertEquals(1, out.details().size(), out.details().toString());
        assertEquals(1, api.writes().size(), "a turn that is closed is not renewed");
    }

    @Test
    void aReleaseAfterALostRenewalAnswerStillReleases() {
        HeldLock turn = taken("cp-1");
        api.patch(Lease.class, "kube-system", "kjadm-etcd-membership", lease -> lease);
        turn.close();
        assertTrue(LockRecord.of(lease()).isEmpty());
    }
}
