package io.kjadm.etcd;

import java.time.Duration;

/** What came of removing a member. */
public sealed interface Removal {

    /** The member list no longer shows it. */
    record Confirmed(Member member) implements Removal {}

    /**
     * Not yet: plan and carry out again, not before the pause is over.
     *
     * @param refused whether etcd has said no, so that it was not lost on the way
     */
    record MustWait(String why, Duration pause, boolean refused) implements Removal {}

    /** It is still listed: its data must not be wiped. */
    record StillListed(Member member, String why, String next) implements Removal {}
}
