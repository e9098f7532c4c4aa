package io.kjadm.core.simulation;

/**
 * One thing that goes wrong in a schedule.
 *
 * @param machine whom it befalls
 * @param at for what befalls a program the number of the place in that machine's programs, for a
 *         lost or late change the number of the change, otherwise milliseconds from the beginning
 * @param millis how long it lasts, or how late a change comes
 */
record Mishap(Kind kind, int machine, long at, long millis) {

    enum Kind {
        /**
         * kill -9 of the program: the places are before and after each call, and while a change is
         * under way.
         */
        CRASH,
        /** The same, and then the operator resets the machine instead of joining it. */
        RESET_INSTEAD,
        /** SIGINT. */
        INTERRUPT,
        /** Somebody promotes this machine's learner with etcdctl, right at that place. */
        FOREIGN_PROMOTE,
        /** Somebody removes this machine's learner with etcdctl, right at that place. */
        FOREIGN_REMOVE,
        REPLY_LOST,
        REQUEST_LOST,
        /** The change is applied up to 7 s after the caller has given up. */
        APPLIED_LATE,
        /** The change is applied only when the next leader is elected. */
        APPLIED_BY_NEXT_LEADER,
        /** The machine's etcd stops and returns. */
        STOP,
        /** Nobody reaches the machine, and it reaches nobody. */
        ISOLATE,
        /** It receives nothing of the log. */
        LAG,
        /** Its kubelet starts nothing. */
        NO_KUBELET,
        /** Its data is gone. */
        LOSE_DISK,
        /** Every answer of etcd takes 6 seconds. */
        SLOW,
        /** A kubeadm adds a learner and never starts it. */
        FOREIGN_ADD,
        /** Somebody removes this machine's voter with etcdctl. */
        FOREIGN_REMOVE_VOTER,
        ELECTION;

        boolean ofPlace() {
            return compareTo(FOREIGN_REMOVE) <= 0;
        }

        boolean ofCall() {
            return !ofPlace() && compareTo(APPLIED_BY_NEXT_LEADER) <= 0;
        }

        /** Whether somebody else has changed the members. */
        boolean foreign() {
            return this == FOREIGN_PROMOTE
                    || this == FOREIGN_REMOVE
                    || this == FOREIGN_ADD
                    || this == FOREIGN_REMOVE_VOTER;
        }
    }

    @Override
    public String toString() {
        return "%s of machine %d at %s %d%s"
                .formatted(
                        kind,
                        machine,
                        kind.ofPlace() ? "place" : kind.ofCall() ? "change" : "ms",
                        at,
                        millis > 0 ? " for " + millis + " ms" : "");
    }
}
