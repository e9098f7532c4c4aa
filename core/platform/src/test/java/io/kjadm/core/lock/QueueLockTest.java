package io.kjadm.core.lock;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdQueue;
import io.kjadm.etcd.RpcCode;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Machines without Kubernetes queue up in etcd, and nobody waits for the dead. */
class QueueLockTest {

    private static final Work UPGRADE = Work.beginning("etcd upgrade");
    private static final Duration LONG = Duration.ofMinutes(30);

    private final VirtualWaiter waiter = new VirtualWaiter();
    private final VirtualBackground background = new VirtualBackground(waiter);
    private final RecordingReporter out = new RecordingReporter();
    private final Queue queue = new Queue();

    /** Leases end as virtual time passes. */
    private final class Queue implements EtcdQueue {

        private final Map<Long, Instant> ends = new LinkedHashMap<>();
        private final Map<Long, String> texts = new LinkedHashMap<>();
        private long last;
        private boolean silent;

        private void look() {
            if (silent) {
                throw new EtcdCallException(
                        ErrorClass.TRANSIENT, RpcCode.UNAVAILABLE, "no leader", "queue", null);
            }
            List<Long> over = ends.entrySet().stream()
                    .filter(lease -> !waiter.now().isBefore(lease.getValue()))
                    .map(Map.Entry::getKey)
                    .toList();
            over.forEach(this::drop);
        }

        private void drop(long lease) {
            ends.remove(lease);
            texts.remove(lease);
        }

        @Override
        public long grant(Duration lasts) {
            look();
            ends.put(++last, waiter.now().plus(lasts));
            return last;
        }

        @Override
        public boolean renew(long lease) {
            look();
            return ends.computeIfPresent(lease, (id, end) -> waiter.now().plusSeconds(60)) != null;
        }

        @Override
        public void revoke(long lease) {
            look();
            drop(lease);
        }

        @Override
        public void enter(Entry entry) {
            look();
            texts.put(entry.lease(), entry.text());
        }

        @Override
        public List<Entry> entries() {
            look();
            List<Entry> entries = new ArrayList<>();
            texts.forEach((lease, text) -> entries.add(new Entry(lease, text)));
            return entries;
        }

        @Override
        public void close() {}
    }

    private QueueLock lock(String node, Scheduler renewals, String... dead) {
        return new QueueLock(
                () -> queue,
                new LockSite(
                        new LockHolder(node, "1-1-run"),
                        List.of(dead)::contains,
                        waiter,
                        renewals,
                        out));
    }

    @Test
    void whoIsAloneHasTheTurnAndLeavesNothing() {
        try (HeldLock held = lock("m-1", background).take(UPGRADE, LONG)) {
            assertEquals(1, queue.entries().size());
            String progress = "half way";
            held.tell(UPGRADE.at(progress));
            waiter.pause("", "", Duration.ofSeconds(20));
            assertTrue(queue.entries().getFirst().text().contains(progress));
            for (int i = 0; i < 40; i++) {
                waiter.pause("", "", Duration.ofSeconds(15));
            }
            assertEquals(1, queue.entries().size(), "it is renewed");
        }
        assertEquals(List.of(), queue.entries());
        assertEquals(List.of(), out.warnings());
    }

    @Test
    void theSecondWaitsForTheFirstAndThenHasTheTurn() {
        HeldLock first = lock("m-1", background).take(UPGRADE, LONG);
        waiter.after(Duration.ofMinutes(5), first::close);

        try (HeldLock _ = lock("m-2", background).take(UPGRADE, LONG)) {
            assertTrue(waiter.elapsed().compareTo(Duration.ofMinutes(5)) >= 0);
            assertHasLine(
                    "{\"holder\":\"m-2_1-1-run\",\"operation\":\"etcd upgrade\",\"progress\":\"beginning\",\"since\":\"2026-02-03T04:05:06Z\",\"reached\":\"2026-02-03T04:05:06Z\"}",
                    queue.entries().getFirst().text());
        }
    }

    @Test
    void theHolderIsNamedToWhoGivesUp() {
        try (HeldLock _ = lock("m-1", background).take(UPGRADE, LONG)) {
            ClusterException failure = assertThrows(
                    ClusterException.class,
                    () -> lock("m-2", background).take(UPGRADE, Duration.ofMinutes(1)));
            assertEquals(Optional.of(CommonReason.TIMED_OUT), failure.reason());
            assertEquals(1, queue.entries().size(), "who gives up leaves the queue");
        }
    }

    @Test
    void aDeadHolderIsGoneWhenItsLeaseHasRunOut() {
        lock("m-1", Scheduler.NEVER).take(UPGRADE, LONG);
        try (HeldLock _ = lock("m-2", background).take(UPGRADE, LONG)) {
            assertTrue(waiter.elapsed().compareTo(Duration.ofSeconds(60)) >= 0);
            assertTrue(waiter.elapsed().compareTo(Duration.ofSeconds(70)) < 0);
        }
    }

    @Test
    void aDeadRunOfThisMachineIsNotWaitedFor() {
        lock("m-1", Scheduler.NEVER).take(UPGRADE, LONG);
        try (HeldLock _ = lock("m-1", background, "1-1-run").take(UPGRADE, LONG)) {
            assertTrue(waiter.elapsed().compareTo(Duration.ofSeconds(10)) < 0);
            assertEquals(1, queue.entries().size());
        }
    }

    @Test
    void anEtcdThatCannotBeWrittenHoldsNobodyUp() {
        queue.silent = true;
        try (HeldLock _ = lock("m-1", background).take(UPGRADE, LONG)) {
            assertTrue(waiter.elapsed().compareTo(Duration.ofSeconds(30)) < 0);
            assertFalse(out.warnings().isEmpty());
        }
    }

    @Test
    void oneWhoseLeaseRanOutGoesOnAndSaysSo() {
        try (HeldLock _ = lock("m-1", background).take(UPGRADE, LONG)) {
            queue.silent = true;
            waiter.pause("", "", Duration.ofSeconds(90));
            queue.silent = false;
            waiter.pause("", "", Duration.ofSeconds(20));
            assertEquals(1, out.warnings().size(), out.warnings()::toString);
        }
        assertEquals(List.of(), queue.entries());
    }

    private HeldLock suspended(String node) {
        return new QueueLock(
                        () -> queue,
                        new LockSite(
                                new LockHolder(node, "1-1-run"),
                                _ -> false,
                                new VirtualWaiter(),
                                Scheduler.NEVER,
                                out))
                .take(UPGRADE, LONG);
    }

    /** The clock of a suspended machine stands still; etcd's did not. */
    @Test
    void whoWasSuspendedDoesNotHoldWhatAnotherHasTakenOver() {
        HeldLock first = suspended("m-1");
        try (HeldLock second = lock("m-2", background).take(UPGRADE, LONG)) {
            second.requireHeld();
            assertEquals(Optional.empty(), first.lost(), "by its clock no time has passed");
            assertReason(CommonReason.LOCK_LOST, ClusterException.class, first::requireHeld);
            assertEquals(1, queue.entries().size());
            assertEquals(List.of(), out.warnings(), "the refusal tells it");
        }
    }

    @Test
    void whoWasSuspendedAndStillHoldsItRenewsIt() {
        HeldLock first = suspended("m-1");
        waiter.pause("", "", Duration.ofSeconds(59));
        first.requireHeld();
        waiter.pause("", "", Duration.ofSeconds(59));
        assertEquals(1, queue.entries().size());
    }

    @Test
    void whereEtcdDoesNotAnswerTheClockDecidesWhetherItIsHeld() {
        HeldLock held = lock("m-1", Scheduler.NEVER).take(UPGRADE, LONG);
        queue.silent = true;
        waiter.pause("", "", Duration.ofSeconds(59));
        held.requireHeld();
        waiter.pause("", "", Duration.ofSeconds(1));
        assertReason(CommonReason.LOCK_LOST, ClusterException.class, held::requireHeld);
    }

    @Test
    void whatSomebodyElseHasWrittenIsRespected() {
        long lease = queue.grant(Duration.ofMinutes(5));
        queue.enter(new EtcdQueue.Entry(lease, "by hand"));
        assertReason(
                CommonReason.TIMED_OUT,
                ClusterException.class,
                () -> lock("m-1", background).take(UPGRADE, Duration.ofMinutes(1)));
    }
}
