package io.kjadm.etcd;

import java.time.Duration;
import java.util.List;

/** What came of telling the cluster about a new member. */
public sealed interface Announcement {

    /** The member was added by this call; {@code members} is the list to start it with. */
    record Added(Member member, List<Member> members) implements Announcement {
        public Added {
            members = List.copyOf(members);
        }
    }

    /** An earlier run or call added it: go on with its manifest or, if it has started, with waiting. */
    record AlreadyThere(Member member, List<Member> members) implements Announcement {
        public AlreadyThere {
            members = List.copyOf(members);
        }
    }

    /**
     * Not now.
     *
     * @param detail who or what is in the way, for the operator
     * @param pause the least time before the next call
     */
    record MustWait(WaitReason reason, String detail, Duration pause) implements Announcement {}

    /** Never, as things are; nothing was added. */
    record Refused(String what, String why, String next) implements Announcement {}
}
