package io.kjadm.core.etcd.commands;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.lock.LockRecord;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Who changes etcd's membership, by Lease {@code kube-system/kjadm-etcd-membership}: held from the
 * announcement of a member until it votes, and by every other change as long as it lasts.
 */
public sealed interface MembershipLeaseStatus {

    /** Nobody does. */
    record Free() implements MembershipLeaseStatus {}

    /**
     * Somebody does, or did until it died.
     *
     * @param holder  node and run
     * @param since   when it began, if it says so
     * @param renewed when it was renewed last, by the holder's clock
     * @param alive   whether that is less than the Lease's duration from now by this machine's
     *                clock. The two clocks may differ, so it is for people and for a refusal: the
     *                Lease is taken over only by watching it
     */
    record Held(String holder, Optional<Instant> since, Instant renewed, boolean alive)
            implements MembershipLeaseStatus {}

    /** The Lease cannot be read. */
    record Unknown(String why) implements MembershipLeaseStatus {}

    /** What a Lease says at a moment. */
    static MembershipLeaseStatus of(Optional<Lease> lease, Instant now) {
        return lease.flatMap(LockRecord::of)
                .map(record -> held(record, LockRecord.renewed(lease.get()), now))
                .orElseGet(Free::new);
    }

    private static MembershipLeaseStatus held(LockRecord record, Instant renewed, Instant now) {
        return new Held(
                record.holder().identity(),
                Optional.of(record.since()).filter(since -> !since.equals(Instant.EPOCH)),
                renewed,
                Duration.between(renewed, now).abs().compareTo(record.lasts()) < 0);
    }
}
