package io.kjadm.core.lock;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One wait for the lock, whatever it is kept in: what is seen of other runs, and how long the store
 * may be silent.
 */
final class LockWait {

    static final String AREA = "etcd";

    private final LockSite site;
    private final Duration unseenLimit;
    private boolean othersSeen;
    private Optional<Instant> silentSince = Optional.empty();

    /**
     * @param unseenLimit how long the store may be silent if no other run was seen: a store that is
     *     down must not hold up a repair
     */
    LockWait(LockSite site, Duration unseenLimit) {
        this.site = site;
        this.unseenLimit = unseenLimit;
    }

    /** @param fate what becomes of the lock of a run that was killed, up to the number of seconds */
    static Await await(Duration wait, Duration interval, String place, String fate) {
        return new Await(
                AREA,
                "the etcd membership lock",
                wait,
                interval,
                "check on the named %s whether it makes progress, then run the command again; %s %d s"
                        .formatted(place, fate, LockRecord.DURATION.toSeconds()));
    }

    /** The store has answered. */
    void answered() {
        silentSince = Optional.empty();
    }

    /** Whether the other run was one of this machine, and is over. */
    boolean over(LockRecord other) {
        return other.holder().node().equals(site.self().node())
                && site.over().test(other.holder().run());
    }

    /** Reports that a run that is over has left its lock. */
    void continuing(LockRecord other, String left) {
        site.out()
                .step(
                        AREA,
                        "continuing after run %s on this %s"
                                .formatted(other.holder().run(), left));
    }

    /** Notes that another run has the lock, and describes it. */
    String behind(LockRecord other) {
        othersSeen = true;
        return other.toString();
    }

    /** This run has the lock. */
    void acquired() {
        if (othersSeen) {
            site.out().step(AREA, "Acquired the etcd membership lock");
        }
    }

    /** @throws ClusterException if the program was asked to stop */
    static void requireNotInterrupted(Exception failure) {
        if (Thread.currentThread().isInterrupted()) {
            throw new ClusterException(
                    "interrupted while waiting for the etcd membership lock",
                    "the program was asked to stop",
                    "run the command again",
                    failure);
        }
    }

    /**
     * Whether the store has been silent for too long. An outage ends a wait for others only when
     * the lock would be lost by it.
     *
     * @param begun when the question was asked that got no answer
     */
    boolean silentTooLong(Instant begun) {
        silentSince = Optional.of(silentSince.orElse(begun));
        Duration patience = othersSeen ? LockRecord.DURATION : unseenLimit;
        return Duration.between(silentSince.get(), site.waiter().now()).compareTo(patience) >= 0;
    }

    /** Waits until the lock is taken; a dry run reports the wait and goes on. */
    HeldLock until(Await await, Supplier<Attempt<HeldLock>> look) {
        return site.waiter()
                .until(await, look)
                .orElseGet(() -> new NoLease("a dry run does not wait"));
    }
}
