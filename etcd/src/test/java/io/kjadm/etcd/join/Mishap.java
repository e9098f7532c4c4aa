package io.kjadm.etcd.join;

/**
 * One thing that goes wrong in a schedule.
 *
 * @param machine whom it befalls
 * @param at for a crash or interrupt the number of the place in that machine's program, for a lost
 *         or late change the number of the change, otherwise milliseconds from the beginning
 * @param millis how long it lasts, or how late a change comes
 */
record Mishap(Kind kind, int machine, long at, long millis) {

    enum Kind {
        /**
         * kill -9 of the program: the places are before and after each call, and while a change is
         * under way.
         */
        CRASH,
        /** SIGINT: the program takes its join back. */
        INTERRUPT,
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
        ELECTION;

        boolean ofCall() {
            return compareTo(APPLIED_BY_NEXT_LEADER) <= 0;
        }
    }

    @Override
    public String toString() {
        return "%s of machine %d at %s %d%s"
                .formatted(kind, machine, kind.ofCall() ? "call" : "ms", at,
                        millis > 0 ? " for " + millis + " ms" : "");
    }
}
