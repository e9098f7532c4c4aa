package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;

/** What came of taking a join back. */
public sealed interface RollbackOutcome {

    /** Nothing of ours was listed. */
    record NothingListed() implements RollbackOutcome {}

    /** The learner is gone, confirmed by the member list, and this node is clean again. */
    record Removed(Member member) implements RollbackOutcome {}

    /** Somebody else had removed it; this node is clean again. */
    record WasGone() implements RollbackOutcome {}

    /** It votes and stays. */
    record Votes(Member member) implements RollbackOutcome {}

    /** The learner stays because the operator wants so. */
    record StaysAsAsked(Member member) implements RollbackOutcome {}

    /** Something of ours is, or may be, still listed; the journal still knows it. */
    record Kept(Problem problem) implements RollbackOutcome {}
}
