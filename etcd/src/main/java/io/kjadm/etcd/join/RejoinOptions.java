package io.kjadm.etcd.join;

import java.util.Optional;

/**
 * What an operator may ask a join to do that it never does by itself.
 *
 * @param takeover remove a learner of somebody else that stands in the way and makes no progress
 * @param replaceLostVoter remove this node's own voter, whose data is lost, and join as a new
 *         member
 * @param keepLearner take nothing back if the join fails
 * @param allowDegraded promote although other voters are not well, as long as enough of them are
 * @param wipeEtcdData set aside data in this node's data directory that belongs to this cluster
 *         (hexadecimal ID)
 */
public record RejoinOptions(
        boolean takeover,
        boolean replaceLostVoter,
        boolean keepLearner,
        boolean allowDegraded,
        Optional<String> wipeEtcdData) {

    /** Nothing of the kind. */
    public static final RejoinOptions NONE =
            new RejoinOptions(false, false, false, false, Optional.empty());
}
