package io.kjadm.etcd;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One member's own view of itself and of the cluster; answered even without quorum, never
 * linearizable.
 *
 * @param leaderId {@link MemberId#NONE} while the member knows no leader
 * @param versions of its program and of what the program has made of the cluster
 * @param database of its file
 * @param errors alarms and "no leader", as the member words them
 */
public record MemberStatus(
        MemberIds ids,
        MemberId leaderId,
        Versions versions,
        Database database,
        Raft raft,
        boolean learner,
        List<String> errors) {

    public MemberStatus {
        errors = List.copyOf(errors);
    }

    /** With no more known of the database than the size of its file. */
    public MemberStatus(
            MemberId memberId,
            String clusterId,
            MemberId leaderId,
            Versions versions,
            long dbSizeBytes,
            long raftTerm,
            long raftIndex,
            long appliedIndex,
            boolean learner,
            List<String> errors) {
        this(
                new MemberIds(clusterId, memberId),
                leaderId,
                versions,
                new Database(dbSizeBytes, OptionalLong.empty(), OptionalLong.empty()),
                new Raft(raftTerm, raftIndex, appliedIndex),
                learner,
                errors);
    }

    /**
     * How far a member's log is.
     *
     * @param index the commit index, despite its name on the wire
     * @param applied of that, what is in the database
     */
    public record Raft(long term, long index, long applied) {}

    /**
     * What a member tells of its database.
     *
     * @param sizeBytes of the file; it never shrinks but by a defragmentation
     * @param inUseBytes of that, what is not free for use again (3.4 and newer)
     * @param quotaBytes the largest size of the file (3.6 and newer)
     */
    public record Database(long sizeBytes, OptionalLong inUseBytes, OptionalLong quotaBytes) {

        /** What a defragmentation would give back. */
        public OptionalLong freeBytes() {
            return inUseBytes.isPresent()
                    ? OptionalLong.of(Math.max(0, sizeBytes - inUseBytes.getAsLong()))
                    : OptionalLong.empty();
        }
    }

    /**
     * What a member tells of versions.
     *
     * @param server of the program
     * @param storage that the data are written in, the same as the cluster version soon after that
     *     has changed; empty below 3.6 and until a cluster of 3.6 has one
     * @param downgrading whether the cluster is on its way to a lower version (3.6 and newer)
     * @param downgradeTarget that version, if it is told
     */
    public record Versions(
            EtcdVersion server,
            Optional<EtcdVersion> storage,
            boolean downgrading,
            Optional<EtcdVersion> downgradeTarget) {

        /** Of a member that tells no target. */
        public Versions(EtcdVersion server, Optional<EtcdVersion> storage, boolean downgrading) {
            this(server, storage, downgrading, Optional.empty());
        }

        /** Of a program, with no more known. */
        public static Versions of(EtcdVersion server) {
            return new Versions(server, Optional.empty(), false);
        }
    }

    /** Of its database's file. */
    public long dbSizeBytes() {
        return database.sizeBytes();
    }

    /** Of its program. */
    public EtcdVersion version() {
        return versions.server();
    }

    public MemberId memberId() {
        return ids.memberId();
    }

    /** Hexadecimal. */
    public String clusterId() {
        return ids.clusterId();
    }

    public long raftTerm() {
        return raft.term();
    }

    /** The commit index. */
    public long raftIndex() {
        return raft.index();
    }

    public long appliedIndex() {
        return raft.applied();
    }

    public boolean leads() {
        return !leaderId.isNone() && leaderId.equals(memberId());
    }
}
