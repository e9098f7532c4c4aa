package io.kjadm.etcd;

import java.util.Optional;
import java.util.Set;

/** How a member can leave, decided before anything is touched. */
public sealed interface RemovalPlan {

    /**
     * It may go: it is not needed for the quorum of the others.
     *
     * @param successor to whom it hands over before it leaves, if it leads, so that the others
     *         never wait for an election
     * @param voters who voted when this was decided; with others it has to be decided again
     */
    record Remove(Member member, Optional<Member> successor, Set<MemberId> voters)
            implements RemovalPlan {
        public Remove {
            voters = Set.copyOf(voters);
        }
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
}
