package io.kjadm.core.lock;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.kjadm.core.error.KjadmException;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdQueue;
import io.kjadm.etcd.EtcdQueue.Entry;
import io.kjadm.etcd.MemberId;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The lock of an etcd of its own, which has no Lease of Kubernetes: a queue in etcd itself. Who has
 * died leaves it when its lease runs out; one of a dead run on this very machine at once.
 *
 * <p>Where etcd has no quorum, and so cannot be written, the change goes on without, as with
 * {@link LeaseLock}: what would cost a quorum is refused by the rules of the change itself.
 *
 * @param queues the client; a {@link KjadmException} if there can be none
 */
record QueueLock(Supplier<EtcdQueue> queues, LockSite site) implements MembershipLock {

    /** A look is a read that etcd's voters agree on; those who wait are in a queue already. */
    private static final Duration INTERVAL = Duration.ofMillis(500);
    /** An election, which a change of the members may bring about, takes some seconds. */
    private static final Duration UNSEEN_LIMIT = Duration.ofSeconds(10);

    @Override
    public HeldLock take(Work work, Duration wait) {
        EtcdQueue queue;
        try {
            queue = queues.get();
        } catch (KjadmException | EtcdCallException e) {
            return unguarded(e.getMessage());
        }
        Turn turn = new Turn(queue, work);
        boolean taken = false;
        try {
            HeldLock held = turn.wait.until(
                    LockWait.await(
                            wait,
                            INTERVAL,
                            "machine",
                            "one that was killed leaves the queue after"),
                    turn::look);
            taken = held == turn;
            return held;
        } finally {
            if (!taken) {
                turn.close();
            }
        }
    }

    private HeldLock unguarded(String why) {
        return site.unguarded("machines", "the queue %s in etcd".formatted(EtcdQueue.PREFIX), why);
    }

    /** This run in the queue, from the first look until it is closed. */
    private final class Turn extends RenewedTurn {

        private final EtcdQueue queue;
        private LockRecord record;
        private OptionalLong lease = OptionalLong.empty();
        private volatile Instant renewed;
        private volatile boolean outOfQueue;
        private final LockWait wait = new LockWait(site, UNSEEN_LIMIT);
        private boolean closed;

        Turn(EtcdQueue queue, Work work) {
            super(work, site.out());
            this.queue = queue;
            this.renewed = site.waiter().now();
            this.record = LockRecord.begun(site.self(), work, site.waiter().now());
        }

        synchronized Attempt<HeldLock> look() {
            Instant begun = site.waiter().now();
            try {
                long own = entered();
                List<Entry> entries = queue.entries();
                wait.answered();
                if (entries.stream().noneMatch(entry -> entry.lease() == own)) {
                    lease = OptionalLong.empty();
                    return Attempt.notYet("this machine's place in the queue is gone");
                }
                Entry first = entries.getFirst();
                return first.lease() == own ? Attempt.done(begun()) : behind(first);
            } catch (EtcdCallException e) {
                LockWait.requireNotInterrupted(e);
                return wait.silentTooLong(begun)
                        ? Attempt.done(unguarded(e.text()))
                        : Attempt.notYet("etcd does not answer: " + e.text());
            }
        }

        private long entered() {
            Instant now = site.waiter().now();
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
            if (wait.over(other)) {
                queue.revoke(first.lease());
                wait.continuing(other, "machine, which has ended without leaving the queue");
                return Attempt.notYet("it was removed from the queue", Duration.ZERO);
            }
            return Attempt.notYet(wait.behind(other));
        }

        private HeldLock begun() {
            wait.acquired();
            renewBy(site.background());
            return this;
        }

        @Override
        public Optional<String> lost() {
            if (outOfQueue) {
                return Optional.of("its lease in etcd has run out");
            }
            Duration age = Duration.between(renewed, site.waiter().now());
            return age.compareTo(LockRecord.DURATION) < 0
                    ? Optional.empty()
                    : Optional.of("its lease in etcd was not renewed for %d s"
                            .formatted(age.toSeconds()));
        }

        @Override
        synchronized Duration renew() {
            if (closed || lease.isEmpty()) {
                return RENEWAL;
            }
            try {
                if (!queue.renew(lease.getAsLong())) {
                    lease = OptionalLong.empty();
                    outOfQueue = true;
                    warnOnce(
                            "other machines can now change etcd's members at the same time: its lease in etcd has run out; this run continues, as each of its changes is guarded by itself");
                    return RENEWAL;
                }
                renewed = site.waiter().now();
                LockRecord further = record.going(work(), renewed);
                if (!further.equals(record)) {
                    record = further;
                    queue.enter(new Entry(lease.getAsLong(), QueueText.of(record)));
                }
            } catch (EtcdCallException e) {
                notRenewed(e.text());
            }
            return RENEWAL;
        }

        @Override
        synchronized void release() {
            if (closed) {
                return;
            }
            closed = true;
            try {
                if (lease.isPresent()) {
                    queue.revoke(lease.getAsLong());
                }
            } catch (EtcdCallException e) {
                notReleased(e.text());
            } finally {
                queue.close();
            }
        }
    }

    /** What an entry of the queue in etcd says of who has made it, as JSON. */
    private static final class QueueText {

        private static final ObjectMapper JSON = new ObjectMapper();

        private QueueText() {}

        static String of(LockRecord record) {
            ObjectNode node = JSON.createObjectNode()
                    .put("holder", record.holder().identity())
                    .put("operation", record.work().operation())
                    .put("progress", record.work().progress())
                    .put("since", record.since().toString())
                    .put("reached", record.reached().toString());
            record.work().member().ifPresent(id -> node.put("member", id.toString()));
            return node.toString();
        }

        /** Whoever has written it: what cannot be understood is somebody's, too. */
        static LockRecord parse(String text) {
            try {
                JsonNode node = JSON.readTree(text);
                return new LockRecord(
                        LockHolder.parse(node.path("holder").asText("?")),
                        new Work(
                                node.path("operation").asText("change"),
                                Optional.of(node.path("member").asText(""))
                                        .filter(id -> !id.isEmpty())
                                        .map(MemberId::parse),
                                node.path("progress").asText("")),
                        Instant.parse(node.path("since").asText()),
                        Instant.parse(node.path("reached").asText()),
                        LockRecord.DURATION);
            } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
                return new LockRecord(
                        new LockHolder("?", ""),
                        new Work("change", Optional.empty(), ""),
                        Instant.EPOCH,
                        Instant.EPOCH,
                        LockRecord.DURATION);
            }
        }
    }
}
