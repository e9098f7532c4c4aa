package io.kjadm.core.etcd.commands;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.join.ReplicationProgress;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What is known of a learner that may be stale.
 *
 * @param before   how far it was, if it answered
 * @param after    how far it is a moment later, if it answers
 * @param peerOpen whether something listens at one of its peer URLs
 * @param owner    whose it is, if known
 * @param now      the moment
 */
public record LearnerFacts(
        Member learner,
        Optional<ReplicationProgress> before,
        Optional<ReplicationProgress> after,
        boolean peerOpen,
        Optional<LearnerOwner> owner,
        Instant now) {

    /**
     * Whether it follows: level with the leader, or nearer its end of the log than a moment ago.
     */
    boolean follows() {
        return after.filter(now -> now.lag() == 0
                        || before.filter(then -> now.applied() > then.applied()).isPresent())
                .isPresent();
    }

    /** Since when its join has been going on. */
    Optional<Duration> age() {
        return owner.flatMap(LearnerOwner::since).map(since -> Duration.between(since, now));
    }
}
