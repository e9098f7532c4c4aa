package io.kjadm.core.lock;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
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
import java.util.function.Supplier;

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
    void theNextOneReplacesWhatTheLastOneGaveBack() {
        taken("cp-1").close();
        taken("cp-2");
        assertEquals("cp-2", record().holder().node());
        assertEquals(2, lease().getSpec().getLeaseTransitions());
        assertEquals(List.of(), out.lines(), "no holder failed");
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

    @Test
    void aLongStoryIsShortened() {
        taken("cp-1").tell(JOIN.at("x".repeat(5000)));
        pass(Duration.ofSeconds(10));
        assertEquals("x".repeat(199) + "…", record().work().progress());
    }

    @Test
    void aStoryThatFitsIsToldToItsEnd() {
        taken("cp-1").tell(JOIN.at("x".repeat(200)));
        pass(Duration.ofSeconds(10));
        assertEquals("x".repeat(200), record().work().progress());
    }

    @Test
    void whatSomebodyElseLeftOutIsAssumed() {
        Lease lease = LockRecord.begun(new LockHolder("cp-9", "1"), JOIN.at("on"), waiter.now())
                .newLease(waiter.now());
        lease.getSpec().setLeaseDurationSeconds(0);
        lease.getMetadata().getAnnotations().replaceAll((key, text) -> " ");
        LockRecord read = LockRecord.of(lease).orElseThrow();
        assertEquals(Duration.ofSeconds(60), read.lasts(), "0 s would be taken over at once");
        assertEquals(Work.beginning("change").at(""), read.work());
        lease.getSpec().setLeaseDurationSeconds(1);
        assertEquals(Duration.ofSeconds(1), LockRecord.of(lease).orElseThrow().lasts());
        lease.getMetadata().setAnnotations(null);
        assertEquals(
                Work.beginning("change").at(""),
                LockRecord.of(lease).orElseThrow().work());
        lease.getSpec().setHolderIdentity(" ");
        assertTrue(LockRecord.of(lease).isEmpty());
    }

    @Test
    void aHolderIsReadAsItWasWritten() {
        for (LockHolder holder : List.of(
                new LockHolder("cp-1", "311-90412-9b0c7a55-12"), new LockHolder("", "x_y"))) {
            assertEquals(holder, LockHolder.parse(holder.identity()));
        }
    }

    @Test
    void aHolderOfAnotherKindIsShownAsItIs() {
        Lease foreign = new LeaseBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("kjadm-etcd-membership")
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("some-operator")
                .endSpec()
                .build();
        assertEquals(
                "change on node some-operator, since 1970-01-01T00:00:00Z",
                LockRecord.of(foreign).orElseThrow().toString());
        assertTrue(
                LockRecord.of(new LeaseBuilder().withNewMetadata().endMetadata().build())
                        .isEmpty());
        api.with(foreign);
        taken("cp-2").close();
        assertTrue(
                out.text().contains(LockRecord.of(foreign).orElseThrow().toString()), out.text());
    }
}
