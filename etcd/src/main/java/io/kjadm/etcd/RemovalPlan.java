package io.kjadm.etcd;

/** How a node's own member can leave, decided before anything is touched. */
public sealed interface RemovalPlan {

    /** Nothing of ours is listed: it never joined, or was removed before. */
    record NotListed() implements RemovalPlan {}

    /**
     * What is listed under this node's address is not shown to be this node's, and nothing else is.
     *
     * @param why what speaks against it
     */
    record Unproven(Member member, String why) implements RemovalPlan {}

    /**
     * The only voter: without it there is no cluster, so there is nobody to ask and nothing to
     * remove from.
     */
    record LastMember(Member member) implements RemovalPlan {}

    /** @param member one that neither leads nor is needed for the quorum of the others */
    record Remove(Member member) implements RemovalPlan {}

    /**
     * The leader leaves after it has handed over, so that the others never wait for an election.
     */
    record MoveLeaderThenRemove(Member member, Member successor) implements RemovalPlan {}

    record Refused(String what, String why, String next) implements RemovalPlan {}
}
