package io.kjadm.core.lock;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdQueue;
import io.kjadm.etcd.EtcdQueue.Entry;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The lock of an etcd of its own, which has no Lease of Kubernetes: a queue in etcd itself. Who has
 * died leaves it when its lease runs out; one of a dead run on this very machine at once.
 *
 * <p>Where etcd has no quorum, and so cannot be written, the change goes on without, as with
 * {@link LeaseLock}: what would cost a quorum is refused by the rules of the change itself.
 */
final class QueueLock implements MembershipLock {

    private static final String AREA = "etcd";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** A sixth of the time that the lease lasts, so that some renewals may fail. */
    private static final Duration RENEWAL = Duration.ofSeconds(10);

    private static final Duration UNSEEN_LIMIT = Duration.ofSeconds(10);

    private final Supplier<EtcdQueue> queues;
    private final LockHolder self;
    private final Predicate<String> over;
    private final Waiter waiter;
    private final Scheduler background;
    private final Reporter out;

    /**
     * @param queues the client; a {@link KjadmException} if there can be none
     * @param over   whether a run of this machine is over for certain
     */
    QueueLock(
            Supplier<EtcdQueue> queues,
            LockHolder self,
            Predicate<String> over,
            Waiter waiter,
            Scheduler background,
            Reporter out) {
        this.queues = queues;
        this.self = self;
        this.over = over;
        this.waiter = waiter;
        this.background = background;
        this.out = out;
    }

    @Override
    public HeldLock take(Work work, Duration wait) {
        EtcdQueue queue;
        try {
            queue = queues.get();
        } catch (KjadmException | EtcdCallException e) {
            return unguarded(e.getMessage());
        }
        Await await = new Await(
                AREA,
                "this machine's turn to change etcd's members",
                wait,
                INTERVAL,
                "check on the machine that is named whether it makes progress, then run the command again; "
                        + "one that has died leaves the queue after %d s"
                                .formatted(LockRecord.DURATION.toSeconds()));
        Turn turn = new Turn(queue, work);
        boolean taken = false;
        try {
            HeldLock held = waiter.until(await, turn::look)
                    .orElseGet(() -> new NoLease("nobody waits in a dry run"));
            taken = held == turn;
            return held;
        } finally {
            if (!taken) {
                turn.close();
            }
        }
    }

    private HeldLock unguarded(String why) {
        out.warn(
                ("other machines can change etcd's members at the same time: the queue %s in etcd cannot be "
                                + "used (%s); what would harm etcd is refused all the same")
                        .formatted(EtcdQueue.PREFIX, why));
        return new NoLease(why);
    }

    /** This run in the queue, from the first look until it is closed. */
    private final class Turn implements HeldLock {

        private final EtcdQueue queue;
        private LockRecord record;
        private OptionalLong lease = OptionalLong.empty();
        private Instant renewed;
        private boolean othersSeen;
        private boolean closed;
        private boolean warned;
        private Optional<Instant> silentSince = Optional.empty();
        private Runnable endRenewals = () -> {};
        /** What the run tells without waiting for a renewal under way. */
        private volatile Work work;

        Turn(EtcdQueue queue, Work work) {
            this.queue = queue;
            this.work = work;
            this.renewed = waiter.now();
            this.record = LockRecord.begun(self, work, waiter.now());
        }

        synchronized Attempt<HeldLock> look() {
            Instant begun = waiter.now();
            try {
                long own = entered();
                List<Entry> entries = queue.entries();
                silentSince = Optional.empty();
                if (entries.stream().noneMatch(entry -> entry.lease() == own)) {
                    lease = OptionalLong.empty();
                    return Attempt.notYet("this machine's place in the queue is gone");
                }
                Entry first = entries.getFirst();
                return first.lease() == own ? Attempt.done(begun()) : behind(first);
            } catch (EtcdCallException e) {
                return silent(e, begun);
            }
        }

        private long entered() {
            Instant now = waiter.now();
            boolean stale = Duration.between(renewed, now).compareTo(RENEWAL) >= 0;
            if (lease.isPresent() && stale && !queue.renew(lease.getAsLong())) {
                lease = OptionalLong.empty();
            }
            if (lease.isEmpty()) {
                long granted = queue.grant(LockRecord.DURATION);
                lease = OptionalLong.of(granted);
                renewed = now;
                queue.enter(new Entry(granted, QueueText.of(record)));
            } else if (stale) {
                renewed = now;
            }
            return lease.getAsLong();
        }

        private Attempt<HeldLock> behind(Entry first) {
            LockRecord other = QueueText.parse(first.text());
            if (other.holder().node().equals(self.node())
                    && over.test(other.holder().run())) {
                queue.revoke(first.lease());
                out.step(
                        AREA,
                        "continuing after run %s on this machine, which has ended without leaving the queue"
                                .formatted(other.holder().run()));
                return Attempt.notYet("it was taken out of the queue", Duration.ZERO);
            }
            othersSeen = true;
            return Attempt.notYet(other.toString());
        }

        private HeldLock begun() {
            if (othersSeen) {
                out.step(AREA, "It is this machine's turn to change etcd's members");
            }
            endRenewals = background.repeat("membership-lock", RENEWAL, this::renew);
            return this;
        }

        private Attempt<HeldLock> silent(EtcdCallException e, Instant begun) {
            if (Thread.currentThread().isInterrupted()) {
                throw new ClusterException(
                        "interrupted while waiting for this machine's turn to change etcd's members",
                        "the program was asked to stop",
                        "run the command again",
                        e);
            }
            silentSince = Optional.of(silentSince.orElse(begun));
            Duration patience = othersSeen ? LockRecord.DURATION : UNSEEN_LIMIT;
            boolean tooLong =
                    Duration.between(silentSince.get(), waiter.now()).compareTo(patience) >= 0;
            return tooLong
                    ? Attempt.done(unguarded(e.text()))
                    : Attempt.notYet("etcd does not answer: " + e.text());
        }

        @Override
        public void tell(Work now) {
            work = now;
        }

        private synchronized Duration renew() {
            if (closed || lease.isEmpty()) {
                return RENEWAL;
            }
            try {
                if (!queue.renew(lease.getAsLong())) {
                    lease = OptionalLong.empty();
                    warn("its lease in etcd has run out");
                    return RENEWAL;
                }
                renewed = waiter.now();
                LockRecord further = record.going(work, renewed);
                if (!further.equals(record)) {
                    record = further;
                    queue.enter(new Entry(lease.getAsLong(), QueueText.of(record)));
                }
            } catch (EtcdCallException e) {
                out.detail("etcd: the membership lock was not renewed: " + e.text());
            }
            return RENEWAL;
        }

        private void warn(String why) {
            if (!warned) {
                warned = true;
                out.warn(
                        ("other machines can now change etcd's members at the same time: %s; this run continues, "
                                        + "as each of its changes is guarded by itself")
                                .formatted(why));
            }
        }

        @Override
        public void close() {
            endRenewals.run();
            // a run that was asked to stop still gives back what it holds
            boolean interrupted = Thread.interrupted();
            try {
                leave();
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private synchronized void leave() {
            if (closed) {
                return;
            }
            closed = true;
            try {
                if (lease.isPresent()) {
                    queue.revoke(lease.getAsLong());
                }
            } catch (EtcdCallException e) {
                out.detail(
                        "etcd: the membership lock was not released and expires by itself within %d s: %s"
                                .formatted(LockRecord.DURATION.toSeconds(), e.text()));
            } finally {
                queue.close();
            }
        }
    }
}
