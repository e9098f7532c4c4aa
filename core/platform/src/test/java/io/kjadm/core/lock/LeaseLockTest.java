package io.kjadm.core.lock;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeApiException.Kind;
import io.kjadm.core.kube.KubeConnector;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.MemberId;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Nodes of one cluster take turns. */
class LeaseLockTest extends LeaseLab {

    @Test
    void aFreeLockCostsOneReadAndOneWrite() {
        HeldLock turn = taken("cp-1");
        assertEquals(
                List.of(
                        "get Lease kube-system/kjadm-etcd-membership",
                        "create Lease kube-system/kjadm-etcd-membership"),
                api.calls());
        assertEquals("cp-1_1", lease().getSpec().getHolderIdentity());
        assertEquals(60, lease().getSpec().getLeaseDurationSeconds());
        assertEquals(
                waiter.now().atZone(ZoneOffset.UTC).toInstant(),
                lease().getSpec().getRenewTime().toInstant());
        assertTrue(held(turn));
        assertEquals(Duration.ZERO, waiter.elapsed());
    }

    @Test
    void theNextOneReplacesWhatTheLastOneGaveBack() {
        taken("cp-1").close();
        taken("cp-2");
        assertEquals("cp-2", record().holder().node());
        assertEquals(2, lease().getSpec().getLeaseTransitions());
        assertEquals(List.of(), out.lines(), "no holder failed");
    }

    @Test
    void whoWaitsSeesWhoHoldsItAndHowFarThatOneIs() {
        taken("cp-1").tell(new Work("join", Optional.of(new MemberId(0xa1)), "63 % caught up"));
        ClusterException late = assertThrows(
                ClusterException.class, () -> lock("cp-2", "1").take(JOIN, Duration.ofSeconds(30)));
        assertTrue(late.why().contains(record().toString()), late.why());
        assertEquals(Optional.of(CommonReason.TIMED_OUT), late.reason());
        assertEquals("cp-1", record().holder().node());
    }

    @Test
    void aTurnBeginsSoonAfterTheLastOneEnded() {
        HeldLock first = taken("cp-1");
        waiter.after(Duration.ofSeconds(200), first::close);
        HeldLock second = taken("cp-2");
        assertTrue(held(second));
        assertTrue(
                waiter.elapsed().compareTo(Duration.ofSeconds(202)) < 0,
                waiter.elapsed().toString());
        assertEquals(List.of("the etcd membership lock"), waiter.awaited());
        assertEquals(List.of("[etcd] Acquired the etcd membership lock"), out.lines());
    }

    @Test
    void fiveNodesNeverHaveItAtOnce() {
        List<String> order = new ArrayList<>();
        HeldLock first = taken("cp-1");
        waiter.after(Duration.ofSeconds(70), first::close);
        for (String node : List.of("cp-2", "cp-3", "cp-4", "cp-5")) {
            HeldLock turn = taken(node);
            assertFalse(held(first) && record().holder().node().equals("cp-1"));
            order.add(record().holder().node());
            waiter.after(waiter.elapsed().plusSeconds(65), turn::close);
        }
        assertEquals(List.of("cp-2", "cp-3", "cp-4", "cp-5"), order);
        assertEquals(List.of(), out.warnings());
    }

    @Test
    void aLivingHolderKeepsItHoweverLongItTakes() {
        HeldLock first = taken("cp-1");
        assertReason(CommonReason.TIMED_OUT, ClusterException.class, () -> taken("cp-2"));
        assertTrue(held(first));
        assertEquals("cp-1", record().holder().node());
    }

    @Test
    void aDeadHolderIsFollowedAndNamed() {
        neverRenewing("cp-1")
                .take(new Work("join", Optional.of(new MemberId(0xa1)), "started"), WAIT);
        HeldLock turn = taken("cp-2");
        assertTrue(waiter.elapsed().compareTo(Duration.ofSeconds(60)) >= 0);
        assertTrue(
                waiter.elapsed().compareTo(Duration.ofSeconds(65)) < 0,
                waiter.elapsed().toString());
        assertTrue(held(turn));
        assertEquals(
                List.of(
                        "[etcd] taking over the membership lock, which was not renewed for 60 s:"
                                + " join on node cp-1 (run 1), member a1,"
                                + " since 2026-02-03T04:05:06Z:"
                                + " started (reached at 2026-02-03T04:05:06Z)",
                        "[etcd] Acquired the etcd membership lock"),
                out.lines());
        assertEquals(2, lease().getSpec().getLeaseTransitions());
    }

    @Test
    void clocksOfOtherMachinesDecideNothing() {
        for (int days : new int[] {-4000, 4000}) {
            MemoryKubeApi skewed = new MemoryKubeApi()
                    .with(LockRecord.begun(new LockHolder("cp-9", "1"), JOIN, waiter.now())
                            .newLease(waiter.now().plus(Duration.ofDays(days))));
            Duration before = waiter.elapsed();
            lock(() -> skewed, "cp-2", "1", Scheduler.NEVER, waiter).take(JOIN, WAIT);
            Duration waited = waiter.elapsed().minus(before);
            assertTrue(waited.compareTo(Duration.ofSeconds(60)) >= 0, waited.toString());
            assertTrue(waited.compareTo(Duration.ofSeconds(65)) < 0, waited.toString());
        }
    }

    @Test
    void aLeaseThatSaysHowLongItLastsIsBelieved() {
        Lease lease = LockRecord.begun(new LockHolder("cp-9", "1"), JOIN, waiter.now())
                .newLease(waiter.now());
        api.with(new LeaseBuilder(lease)
                .editSpec()
                .withLeaseDurationSeconds(20)
                .endSpec()
                .build());
        taken("cp-2");
        assertTrue(waiter.elapsed().compareTo(Duration.ofSeconds(20)) >= 0);
        assertTrue(
                waiter.elapsed().compareTo(Duration.ofSeconds(25)) < 0,
                waiter.elapsed().toString());
    }

    @Test
    void anEndedRunOfThisNodeIsFollowedAtOnce() {
        neverRenewing("cp-1").take(JOIN, WAIT);
        ended = Set.of("1");
        HeldLock turn = lock("cp-1", "2").take(JOIN, WAIT);
        assertEquals(Duration.ZERO, waiter.elapsed());
        assertTrue(held(turn));
    }

    @Test
    void aRunOfThisNodeThatStillWorksIsWaitedFor() {
        taken("cp-1");
        assertReason(
                CommonReason.TIMED_OUT,
                ClusterException.class,
                () -> lock("cp-1", "2").take(JOIN, WAIT));
    }

    @Test
    void anEndedRunOfTheSameNameOnAnotherNodeIsNotThisNodesBusiness() {
        neverRenewing("cp-1").take(JOIN, WAIT);
        ended = Set.of("1");
        taken("cp-2");
        assertTrue(waiter.elapsed().compareTo(Duration.ofSeconds(60)) >= 0);
    }

    @Test
    void aLostAnswerDoesNotLockTheRunOut() {
        api.losingNextCreateAnswer();
        HeldLock turn = taken("cp-1");
        assertTrue(held(turn));
        assertTrue(
                waiter.elapsed().compareTo(Duration.ofSeconds(2)) < 0,
                waiter.elapsed().toString());
    }

    @Test
    void theSlowerOfTwoLooksAgain() {
        taken("cp-0").close();
        api.answering(1).failing(1, Kind.CONFLICT);
        assertTrue(held(taken("cp-1")));
        assertTrue(
                waiter.elapsed().compareTo(Duration.ofSeconds(2)) < 0,
                waiter.elapsed().toString());
        assertEquals(List.of(), out.warnings());
    }

    @Test
    void anApiServerThatRestartsIsWaitedFor() {
        api.failing(2, Kind.UNREACHABLE);
        assertTrue(held(taken("cp-1")));
        assertEquals(List.of(), out.warnings());
    }

    @Test
    void withoutAnApiServerTheChangeGoesOnWithAWarning() {
        api.down(Kind.UNREACHABLE);
        HeldLock turn = taken("cp-1");
        assertInstanceOf(NoLease.class, turn);
        assertFalse(held(turn));
        assertTrue(
                waiter.elapsed().compareTo(Duration.ofSeconds(8)) < 0,
                waiter.elapsed().toString());
        assertEquals(1, out.warnings().size(), out.warnings().toString());
        turn.tell(JOIN.at("on"));
        turn.close();
    }

    @Test
    void anApiServerThatOnlyReadsDoesNotHoldUpTheChange() {
        for (int i = 0; i < 20; i++) {
            api.answering(1).failing(1, Kind.UNAVAILABLE);
        }
        assertFalse(held(taken("cp-1")));
        assertTrue(
                waiter.elapsed().compareTo(Duration.ofSeconds(8)) < 0,
                waiter.elapsed().toString());
    }

    @Test
    void whoMayNotWriteLeasesGoesOnAtOnce() {
        for (Kind kind :
                List.of(Kind.FORBIDDEN, Kind.NOT_FOUND, Kind.UNTRUSTED, Kind.INVALID, Kind.OTHER)) {
            MemoryKubeApi refusing = new MemoryKubeApi().down(kind);
            HeldLock turn =
                    lock(() -> refusing, "cp-1", "1", Scheduler.NEVER, waiter).take(JOIN, WAIT);
            assertInstanceOf(NoLease.class, turn);
        }
        assertEquals(Duration.ZERO, waiter.elapsed());
        assertEquals(5, out.warnings().size());
    }

    @Test
    void withoutCredentialsTheChangeGoesOn() {
        HeldLock turn = lock(
                        () -> {
                            throw new HostException("there is no kubeconfig", "", "");
                        },
                        "cp-1",
                        "1",
                        Scheduler.NEVER,
                        waiter)
                .take(JOIN, WAIT);
        assertEquals(new NoLease("there is no kubeconfig"), turn);
    }

    @Test
    void inTheQueueAnOutageIsSatOutForAsLongAsALeaseLasts() {
        taken("cp-1");
        waiter.after(Duration.ofSeconds(30), () -> api.down(Kind.UNREACHABLE));
        assertFalse(held(taken("cp-2")));
        assertTrue(
                waiter.elapsed().compareTo(Duration.ofSeconds(89)) >= 0,
                waiter.elapsed().toString());
    }

    @Test
    void aDryRunReportsAndTakesNothing() {
        Waiter dry = new ReportingWaiter(waiter::now, out);
        KubeApi reporting = KubeConnector.reporting(access -> api, out).connect(null);
        lock(() -> reporting, "cp-2", "1", Scheduler.NEVER, dry)
                .take(JOIN, WAIT)
                .close();
        assertEquals(List.of(), api.writes());
        assertEquals(
                List.of(
                        "Would create Lease kube-system/kjadm-etcd-membership:",
                        "Would update Lease kube-system/kjadm-etcd-membership:"),
                out.in("dryrun"));
        assertHasLine("acquireTime: \"2026-02-03T04:05:06Z\"", out.text());
        taken("cp-1");
        lock(() -> reporting, "cp-2", "1", Scheduler.NEVER, dry)
                .take(JOIN, WAIT)
                .close();
        assertTrue(
                out.in("dryrun").getLast().startsWith("Would wait for the etcd membership lock"),
                out.text());
        assertEquals("cp-1", record().holder().node());
    }
}
