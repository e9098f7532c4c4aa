package io.kjadm.core.simulation;

import io.kjadm.core.host.HostFiles;

import java.nio.file.Path;
import java.util.Optional;

/** A rule of production that is switched off, by what it is told or by what it sees. */
enum RestoreRules {
    ALL_KEPT(1),
    /** What accepts connections at a peer port is not alive. */
    A_PEER_PORT_THAT_LISTENS_IS_ALIVE(40),
    /** A leader that the node's own member knows says nothing. */
    A_KNOWN_LEADER_PROVES_A_QUORUM(20),
    /** What its member said before it stopped responding is forgotten. */
    A_LEADER_IS_KNOWN_UNTIL_ITS_MEMBER_SAYS_OTHERWISE(118),
    /** Each voter counts as named. */
    EVERY_VOTER_IS_NAMED(200),
    /** A run that resumes another one sees no other member. */
    A_RESUMED_RUN_LOOKS_AGAIN(40),
    /** Once etcd was stopped no other member is seen. */
    A_LOOK_DIRECTLY_BEFORE_THE_START(17),
    /** File systems that are not mounted are not missed. */
    AN_ABSENT_MOUNT_IS_NO_LOSS(1),
    /** Evidence is always of now. */
    OLD_EVIDENCE_PROVES_NOTHING(40);

    private static final Path FSTAB = Path.of("/etc/fstab");

    /** Where to begin: soon after it a schedule needs the rule, which saves the time of others. */
    final long firstSeed;

    RestoreRules(long firstSeed) {
        this.firstSeed = firstSeed;
    }

    /** The files of a machine, without what the rule looks at. */
    HostFiles seen(HostFiles real) {
        return new ForwardingFiles(real) {
            @Override
            public Optional<byte[]> readBytes(Path path) {
                return hides(path) ? Optional.empty() : super.readBytes(path);
            }
        };
    }

    private boolean hides(Path path) {
        return switch (this) {
            case AN_ABSENT_MOUNT_IS_NO_LOSS -> path.equals(FSTAB);
            case A_LEADER_IS_KNOWN_UNTIL_ITS_MEMBER_SAYS_OTHERWISE -> path.endsWith("known-leader");
            default -> false;
        };
    }
}
