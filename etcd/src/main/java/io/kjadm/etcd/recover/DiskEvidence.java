package io.kjadm.etcd.recover;

import io.kjadm.etcd.Member;

import java.util.List;
import java.util.Optional;

/** What a node's data directory holds. */
public sealed interface DiskEvidence {

    /** Where it is. */
    String dataDir();

    /** Why what is found here does not show that data of a member are gone, if it does not. */
    static Optional<String> doubt(List<String> absent, List<String> setAside) {
        if (!absent.isEmpty()) {
            return Optional.of("not mounted: " + String.join(", ", absent));
        }
        return setAside.isEmpty()
                ? Optional.empty()
                : Optional.of("earlier data are kept in " + String.join(", ", setAside));
    }

    /**
     * A member's data.
     *
     * @param members that its database lists; none if it could not be read
     * @param doubt   why they do not show that another member has no data here, if they do not: its
     *     file system is not mounted, or its data were renamed
     */
    record Held(
            String dataDir,
            LogEvidence log,
            DatabaseEvidence database,
            List<Member> members,
            Optional<String> doubt)
            implements DiskEvidence {
        public Held {
            members = List.copyOf(members);
        }

        /** Those that leave no doubt. */
        public Held(
                String dataDir, LogEvidence log, DatabaseEvidence database, List<Member> members) {
            this(dataDir, log, database, members, Optional.empty());
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
            Optional<String> found = DiskEvidence.doubt(absent, setAside);
            if (found.isPresent()) {
                return found;
            }
            return owner.isPresent()
                    ? Optional.empty()
                    : Optional.of("no file in it identifies it as the disk of a member");
        }
    }

    /**
     * It cannot be told.
     *
     * @param why a clause that begins with "it"
     */
    record Unreadable(String dataDir, String why) implements DiskEvidence {}
}
