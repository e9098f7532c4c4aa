package io.kjadm.etcd;

import java.time.Duration;

/** What came of one attempt to remove a member. */
public sealed interface Removal {

    /** The member list no longer shows it. */
    record Confirmed(Member member) implements Removal {}

    /** Nothing was sent, for that reason. */
    record Declined(RemovalPlan.Declined plan) implements Removal {}

    /**
     * Not yet: to be attempted again, not before the pause is over.
     *
     * @param cause {@link ErrorClass#WAIT} if etcd has said no, so that nothing was lost on the way
     */
    record MustWait(String why, Duration pause, ErrorClass cause) implements Removal {

        /** Whether etcd has refused it. */
        public boolean refused() {
            return cause == ErrorClass.WAIT;
        }
    }

    /**
     * It is still listed, and the same attempt will not change that: its data must not be wiped.
     */
    record StillListed(Member member, String why, String next, ErrorClass cause)
            implements Removal {}

    /** Who has to know before something is sent; what it throws keeps it from being sent. */
    interface Progress {

        /** Nobody. */
        Progress NONE = new Progress() {};

        /** The leader is about to be asked to hand over. */
        default void handingOver(Member leader, Member successor) {}

        /** The removal is about to be sent. */
        default void removing(Member member) {}
    }
}
