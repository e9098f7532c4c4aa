package io.kjadm.core.simulation;

import io.kjadm.core.host.HostFiles;

import java.nio.file.Path;
import java.util.Optional;

/** A rule of production that is switched off, by what it is told or by what it sees. */
enum RestoreRules {
    ALL_KEPT(1),
    /** What accepts connections at a peer port is not alive. */
    A_PEER_PORT_THAT_LISTENS_IS_ALIVE(35),
    /** A leader that the node's own member knows says nothing. */
    A_KNOWN_LEADER_PROVES_A_QUORUM(115),
    /** Each voter counts as named. */
    EVERY_VOTER_IS_NAMED(100),
    /** A run that resumes another one sees no other member. */
    A_RESUMED_RUN_LOOKS_AGAIN(1),
    /** Once etcd was stopped no other member is seen. */
    A_LOOK_DIRECTLY_BEFORE_THE_START(1),
    /** File systems that are not mounted are not missed. */
    AN_ABSENT_MOUNT_IS_NO_LOSS(10),
    /** Evidence is always of now. */
    OLD_EVIDENCE_PROVES_NOTHING(125);

    private static final Path FSTAB = Path.of("/etc/fstab");

    /** Where to begin: soon after it a schedule needs the rule, which saves the time of others. */
    final long firstSeed;

    RestoreRules(long firstSeed) {
        this.firstSeed = firstSeed;
    }

    /** The files of a machine, without what the rule looks at. */
    HostFiles seen(HostFiles real) {
        return this != AN_ABSENT_MOUNT_IS_NO_LOSS
                ? real
                : new ForwardingFiles(real) {
                    @Override
                    public Optional<byte[]> readBytes(Path path) {
                        return path.equals(FSTAB) ? Optional.empty() : super.readBytes(path);
                    }
                };
    }
}
