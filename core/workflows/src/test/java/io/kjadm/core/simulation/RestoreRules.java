package io.kjadm.core.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kjadm.core.host.HostFiles;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A rule of production that is switched off, by what it is told or by what it sees. */
enum RestoreRules {
    ALL_KEPT(1),
    /** What accepts connections at a peer port is not alive. */
    A_PEER_PORT_THAT_LISTENS_IS_ALIVE(12),
    /** A leader that the node's own member knows says nothing. */
    A_KNOWN_LEADER_PROVES_A_QUORUM(8),
    /** What its member said before it stopped responding is forgotten. */
    A_LEADER_IS_KNOWN_UNTIL_ITS_MEMBER_SAYS_OTHERWISE(117),
    /** Each voter counts as named. */
    EVERY_VOTER_IS_NAMED(149),
    /** A run that resumes another one sees no other member. */
    A_RESUMED_RUN_LOOKS_AGAIN(28),
    /** Once etcd was stopped no other member is seen. */
    A_LOOK_DIRECTLY_BEFORE_THE_START(12),
    /** File systems that are not mounted are not missed. */
    AN_ABSENT_MOUNT_IS_NO_LOSS(1),
    /** Each directory is a member's disk, without the marker that tells so. */
    AN_EMPTY_DISK_IS_KNOWN_BY_ITS_MARKER(164),
    /** Data that kjadm has renamed are not seen. */
    DATA_THAT_WERE_SET_ASIDE_ARE_NOT_LOST(62),
    /** No API server lists the members. */
    THE_API_SERVER_LISTS_MEMBERS(22),
    /** Evidence is always of now. */
    OLD_EVIDENCE_PROVES_NOTHING(267);

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

            @Override
            public Optional<byte[]> readBelow(Path directory, Path file) {
                return RestoreRules.this == AN_EMPTY_DISK_IS_KNOWN_BY_ITS_MARKER
                        ? marker()
                        : super.readBelow(directory, file);
            }

            @Override
            public List<Path> list(Path directory) {
                return super.list(directory).stream()
                        .filter(path -> !hides(path))
                        .toList();
            }
        };
    }

    /** One that fits each member. */
    private static Optional<byte[]> marker() {
        return Optional.of("{\"created\": \"2026-01-01T00:00:00Z\"}".getBytes(UTF_8));
    }

    private boolean hides(Path path) {
        return switch (this) {
            case AN_ABSENT_MOUNT_IS_NO_LOSS -> path.equals(FSTAB);
            case A_LEADER_IS_KNOWN_UNTIL_ITS_MEMBER_SAYS_OTHERWISE -> path.endsWith("known-leader");
            case DATA_THAT_WERE_SET_ASIDE_ARE_NOT_LOST ->
                path.getFileName() != null && path.getFileName().toString().contains(".replaced-");
            default -> false;
        };
    }
}
