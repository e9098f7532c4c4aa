package io.kjadm.core.etcd.commands;

import io.kjadm.core.lock.LockHolder;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Whose learner it is, as far as anything tells; never guessed.
 *
 * @param who   the join that added it
 * @param since when that began, if it is known
 * @param alive whether that join may still go on: its claim is fresh, or this node has its note
 */
public record LearnerOwner(String who, Optional<Instant> since, boolean alive) {

    /**
     * The owner of a learner: this node's own note of an unfinished join knows the ID; the holder
     * of the lock is it only if there is no other learner, and the name it published, if any, is
     * the holder's.
     *
     * @param noted the member that an unfinished join of this node added
     */
    static Optional<LearnerOwner> of(
            Member learner,
            List<Member> learners,
            Optional<MemberId> noted,
            MembershipLeaseStatus lock) {
        Optional<MembershipLeaseStatus.Held> held =
                lock instanceof MembershipLeaseStatus.Held holder
                        ? Optional.of(holder)
                        : Optional.empty();
        if (noted.filter(learner.id()::equals).isPresent()) {
            return Optional.of(new LearnerOwner(
                    "an unfinished join of this node",
                    held.filter(holder -> learners.size() == 1)
                            .flatMap(MembershipLeaseStatus.Held::since),
                    held.map(MembershipLeaseStatus.Held::alive).orElse(true)));
        }
        return held.filter(holder -> learners.size() == 1)
                .filter(holder -> !learner.started()
                        || LockHolder.parse(holder.holder()).node().equals(learner.name()))
                .map(holder -> new LearnerOwner(holder.holder(), holder.since(), holder.alive()));
    }
}
