package io.kjadm.etcd.recover;

import io.kjadm.etcd.Member;

import java.util.List;

/** What a node's data directory holds. */
public sealed interface DiskEvidence {

    /** Where it is. */
    String dataDir();

    /**
     * A member's data.
     *
     * @param members that its database lists; none if it could not be read
     */
    record Held(String dataDir, LogEvidence log, DatabaseEvidence database, List<Member> members)
            implements DiskEvidence {
        public Held {
            members = List.copyOf(members);
        }
    }

    /**
     * None: the member that this node ran can never vote again with what is there.
     *
     * @param setAside data that were renamed, by this program or by hand
     */
    record Empty(String dataDir, List<String> setAside) implements DiskEvidence {
        public Empty {
            setAside = List.copyOf(setAside);
        }
    }

    /**
     * It cannot be told.
     *
     * @param why a clause that begins with "it"
     */
    record Unreadable(String dataDir, String why) implements DiskEvidence {}
}
