package io.kjadm.etcd;

/**
 * Gets one member into a cluster: {@link #announce} tells the cluster of it, then the caller starts it, then {@link
 * #settle} brings it to its final role. Each asks once and answers; the caller repeats while the answer says so. An adder
 * remembers what it has sent, so it serves one join of one node, and calls do not overlap.
 */
public interface MemberAdder {

    /**
     * Adds the member unless it is there already. May be repeated after {@link Announcement.MustWait}, not before its
     * pause is over; nothing is added twice.
     */
    Announcement announce(EtcdCluster cluster, NewMember wanted);

    /** Looks where the member stands and takes the next step if it may be taken. To be repeated about every second. */
    Settlement settle(EtcdCluster cluster, MemberId id);

    /**
     * Takes back what {@link #announce} added, for a join that failed. Removes nothing but a learner that this adder (or
     * the earlier run named in the trace) added. May be repeated after {@link Withdrawal.MustWait}.
     */
    Withdrawal withdraw(EtcdCluster cluster, NewMember wanted);
}
