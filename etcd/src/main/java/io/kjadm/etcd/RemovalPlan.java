package io.kjadm.etcd;

import java.util.Set;

/** How a member can leave, decided before anything is touched. */
public sealed interface RemovalPlan {

    /** It may go. */
    sealed interface Feasible extends RemovalPlan {

        Member member();

        /** Who voted when this was decided; with others it has to be decided anew. */
        Set<MemberId> voters();
    }

    /** It does not go, or not now; nothing is sent. */
    sealed interface Declined extends RemovalPlan {}

    /** Nothing of ours is listed: it never joined, or was removed before. */
    record NotListed() implements Declined {}

    /**
     * What is listed under this node's address is not shown to be this node's, and nothing else is.
     *
     * @param why what speaks against it
     */
    record Unproven(Member member, String why) implements Declined {}

    /** It was to go as a learner, and somebody has promoted it. */
    record Promoted(Member member) implements Declined {}

    /**
     * The only voter: without it there is no cluster, so there is nobody to ask and nothing to
     * remove from.
     */
    record LastMember(Member member) implements Declined {}

    /** The others need it, or cannot agree. */
    record Refused(Problem problem) implements Declined {}

    /** @param member one that neither leads nor is needed for the quorum of the others */
    record Remove(Member member, Set<MemberId> voters) implements Feasible {
        public Remove {
            voters = Set.copyOf(voters);
        }
    }

    /**
     * The leader leaves after it has handed over, so that the others never wait for an election.
     */
    record MoveLeaderThenRemove(Member member, Member successor, Set<MemberId> voters)
            implements Feasible {
        public MoveLeaderThenRemove {
            voters = Set.copyOf(voters);
        }
    }
}
