package io.kjadm.etcd.compare;

import java.util.List;

/** What goes wrong during a join, and with how many voters that is tried. */
enum Fault {
    NONE("nothing goes wrong", 1, 2, 3),
    NEVER_STARTS("the new member never starts", 1, 2, 3),
    DIES_AT_ONCE("the new etcd ends at once (unknown flag)", 1, 3),
    KILLED_CATCHING_UP("the new member dies while it catches up", 1, 3),
    CUT_OFF("the new member runs, but is cut off from the voters", 1, 3),
    TOOL_KILLED("kjadm is killed right after the add", 1, 3),
    TOOL_RUN_AGAIN("kjadm is killed after the add, run again 15 s later", 1, 3),
    VOTER_STOPS("an old voter stops right after the add", 2, 3),
    VOTER_STOPS_NEVER_STARTS("an old voter stops, the new member never starts", 3);

    private final String title;
    private final List<Integer> voters;

    Fault(String title, Integer... voters) {
        this.title = title;
        this.voters = List.of(voters);
    }

    String title() {
        return title;
    }

    List<Integer> voters() {
        return voters;
    }

    boolean memberStarts() {
        return this != NEVER_STARTS && this != VOTER_STOPS_NEVER_STARTS;
    }

    boolean toolKilled() {
        return this == TOOL_KILLED || this == TOOL_RUN_AGAIN;
    }

    boolean voterStops() {
        return this == VOTER_STOPS || this == VOTER_STOPS_NEVER_STARTS;
    }
}
