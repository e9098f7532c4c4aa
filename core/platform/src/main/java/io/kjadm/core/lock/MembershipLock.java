package io.kjadm.core.lock;

import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.MemberId;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Lets one node at a time change etcd's membership, as a port: a Lease in the cluster, or nothing
 * where that cannot be had. It keeps well-behaved runs apart; it is not what safety rests on. Every
 * change names its member by ID and is read back, whether or not the lock is still held.
 */
public interface MembershipLock {

    /** A join before this one may have a large database to receive. */
    Duration LONGEST_WAIT = Duration.ofMinutes(30);

    /**
     * Of a command that found the lock free, or its holder dead, just before: one change of another
     * node may have come between, and a dead run's lock is taken over within it.
     */
    Duration SHORT_WAIT = Duration.ofMinutes(2);

    /**
     * Waits for this node's turn and takes it.
     *
     * @param wait the longest wait for others, who are shown meanwhile
     * @throws io.kjadm.core.error.ClusterException if it is still somebody else's turn after that,
     *         or the program is asked to stop
     */
    HeldLock take(Work work, Duration wait);

    /**
     * A turn that nobody else knows of, where there is nothing to keep the lock in: etcd itself
     * admits one learner at a time, and whoever comes second waits for the first.
     */
    static MembershipLock none() {
        return (work, wait) -> new NoLease("there is nothing to keep it in");
    }

    /**
     * What the lock is held for; others who wait can read it.
     *
     * @param operation {@code join} or {@code reset}, for example
     * @param member    the member it is about, once there is one
     * @param progress  how far it is, in a few words
     */
    record Work(String operation, Optional<MemberId> member, String progress) {

        public Work {
            Objects.requireNonNull(operation);
            Objects.requireNonNull(member);
            Objects.requireNonNull(progress);
        }

        /** Before anything was done. */
        public static Work beginning(String operation) {
            return new Work(operation, Optional.empty(), "beginning");
        }

        /** The same, so far. */
        public Work at(String now) {
            return new Work(operation, member, now);
        }
    }

    /** This node's turn; it ends with {@link #close}, or some time after the program has died. */
    interface HeldLock extends AutoCloseable {

        /** Tells those who wait how far it is, within one renewal (10 s); costs nothing. */
        void tell(Work now);

        /**
         * Why other machines may hold it by now: it was not renewed for too long, or was taken away.
         * Empty while they keep away, and where there was no lock from the beginning. Asks no one,
         * so it costs nothing.
         */
        default Optional<String> lost() {
            return Optional.empty();
        }

        /**
         * Asked before a change that no other check of etcd's guards. It is renewed at once, which
         * shows whether another machine holds it by now.
         *
         * @throws ClusterException if it is lost
         */
        default void requireHeld() {
            lost().ifPresent(why -> {
                throw new ClusterException(
                        CommonReason.LOCK_LOST,
                        "the membership lock was lost, and nothing more is changed",
                        why,
                        "make sure that no other machine changes etcd ('kjadm etcd status'), then run the same command again");
            });
        }

        /** Gives it back; what cannot be given back expires by itself. */
        @Override
        void close();
    }
}
