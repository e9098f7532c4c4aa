package io.kjadm.etcd.join;

import java.util.Optional;

/**
 * What an operator may ask a join to do, or to put up with, that it never does by itself.
 *
 * @param takeover remove a learner of somebody else that stands in the way and makes no progress
 * @param replaceLostVoter remove this node's own voter, whose data is lost, and join as a new
 *         member
 * @param keepLearner take nothing back if the join fails
 * @param allowDegraded begin, and promote, although other voters are unhealthy, as long as enough
 *         of them are healthy and etcd itself accepts it
 * @param allowMixed begin although the voters run two minor versions
 * @param wipeEtcdData set aside data in this node's data directory that belongs to this cluster
 *         (hexadecimal ID)
 */
public record RejoinOptions(
        boolean takeover,
        boolean replaceLostVoter,
        boolean keepLearner,
        boolean allowDegraded,
        boolean allowMixed,
        Optional<String> wipeEtcdData) {

    /** Nothing of the kind. */
    public static final RejoinOptions NONE =
            new RejoinOptions(false, false, false, false, false, Optional.empty());
}
