package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;

/** What came of taking a join back. */
public sealed interface Withdrawal {

    /** Nothing of ours was listed. */
    record NothingListed() implements Withdrawal {}

    /** The learner is gone, confirmed by the member list, and this node is clean again. */
    record Removed(Member member) implements Withdrawal {}

    /** Somebody else had removed it; this node is clean again. */
    record WasGone() implements Withdrawal {}

    /** It votes and stays. */
    record Votes(Member member) implements Withdrawal {}

    /** The learner stays because the operator wants so. */
    record StaysAsAsked(Member member) implements Withdrawal {}

    /** Something of ours is, or may be, still listed; the journal still knows it. */
    record Kept(String what, String why, String next) implements Withdrawal {}
}
