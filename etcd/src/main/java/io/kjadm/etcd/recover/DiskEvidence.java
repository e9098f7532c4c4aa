package io.kjadm.etcd.recover;

import io.kjadm.etcd.Member;

import java.util.List;
import java.util.Optional;

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
     * None.
     *
     * @param setAside data that were renamed, by this program or by hand
     * @param owner    the member that the directory was set up for, as a file in it tells; hexadecimal,
     *     or empty text if the file does not tell. Without such a file it may be another disk
     * @param absent   file systems that belong there and are not mounted
     */
    record Empty(String dataDir, List<String> setAside, Optional<String> owner, List<String> absent)
            implements DiskEvidence {
        public Empty {
            setAside = List.copyOf(setAside);
            absent = List.copyOf(absent);
        }

        /** Why it does not show that the member has no data, if it does not. */
        public Optional<String> doubt() {
            if (!absent.isEmpty()) {
                return Optional.of("not mounted: " + String.join(", ", absent));
            }
            if (!setAside.isEmpty()) {
                return Optional.of("earlier data are kept in " + String.join(", ", setAside));
            }
            return owner.isPresent()
                    ? Optional.empty()
                    : Optional.of("no file in it tells that it is the disk of a member");
        }
    }

    /**
     * It cannot be told.
     *
     * @param why a clause that begins with "it"
     */
    record Unreadable(String dataDir, String why) implements DiskEvidence {}
}
