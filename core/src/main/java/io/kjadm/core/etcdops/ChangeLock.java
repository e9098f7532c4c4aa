package io.kjadm.core.etcdops;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Optional;

/**
 * Who changes etcd's membership, by Lease {@code kube-system/kjadm-etcd-membership}: held from the
 * announcement of a member until it votes, and by every other change as long as it lasts (reference
 * 04 §1.9 W2).
 */
public sealed interface ChangeLock {

    /** Nobody does. */
    record Free() implements ChangeLock {}

    /**
     * Somebody does, or did until it died.
     *
     * @param holder  node and run
     * @param since   when it began, if it says so
     * @param renewed its last sign of life
     * @param alive   whether that is recent enough
     */
    record Held(String holder, Optional<Instant> since, Instant renewed, boolean alive)
            implements ChangeLock {}

    /** The Lease cannot be read. */
    record Unknown(String why) implements ChangeLock {}

    /** What a Lease says at a moment. */
    static ChangeLock of(Optional<Lease> lease, Instant now) {
        Optional<LeaseSpec> spec = lease.map(Lease::getSpec);
        String holder = spec.map(LeaseSpec::getHolderIdentity).orElse("");
        if (holder.isBlank()) {
            return new Free();
        }
        Optional<Instant> since = spec.map(LeaseSpec::getAcquireTime).map(ZonedDateTime::toInstant);
        Instant renewed = spec.map(LeaseSpec::getRenewTime)
                .map(ZonedDateTime::toInstant)
                .or(() -> since)
                .orElse(Instant.EPOCH);
        Duration lifetime =
                Duration.ofSeconds(spec.map(LeaseSpec::getLeaseDurationSeconds).orElse(60));
        return new Held(holder, since, renewed, now.isBefore(renewed.plus(lifetime)));
    }
}
