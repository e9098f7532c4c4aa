package io.kjadm.etcd.recover;

import io.kjadm.etcd.Member;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Whether the cluster that a new one would replace has ended. */
public sealed interface OldCluster {

    /**
     * No member of it responds, and the operator gives up by name every voter that could be a
     * quorum of it.
     *
     * @param givenUp the voters that are given up
     */
    record Ended(List<Member> givenUp) implements OldCluster {
        public Ended {
            givenUp = List.copyOf(givenUp);
        }
    }

    /** A part of it runs. */
    record Alive(List<Proof> proofs) implements OldCluster {
        public Alive {
            proofs = List.copyOf(proofs);
        }
    }

    /**
     * No member of it responds, but this node's member knew a leader a short time ago and cannot
     * tell any more whether that has gone.
     *
     * @param ago  how long ago
     * @param left after how long that says nothing any more
     */
    record LedBefore(Duration ago, Duration left) implements OldCluster {}

    /**
     * It cannot be told.
     *
     * @param unnamed  voters that do not respond and that the operator has not named
     * @param unlisted whether no member, database or API server tells who the members are, and the
     *     operator does not say that there are no others
     */
    record NotKnown(List<Member> unnamed, boolean unlisted) implements OldCluster {
        public NotKnown {
            unnamed = List.copyOf(unnamed);
        }
    }

    /**
     * The operator gives up members that are not there.
     *
     * @param names that no member has
     */
    record Misnamed(Set<String> names) implements OldCluster {
        public Misnamed {
            names = Set.copyOf(names);
        }
    }

    /** How a member shows that it runs. */
    enum Sign {
        /** It knows a leader, and only a quorum has one. */
        KNOWS_LEADER,
        /** It responds on its client port. */
        SERVES,
        /** Something accepts connections on its peer port. */
        LISTENS
    }

    /** A member that runs. */
    record Proof(Sign sign, Member member) {}
}
