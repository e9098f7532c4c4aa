package io.kjadm.etcd.auto;

import io.kjadm.etcd.MemberId;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a machine says of itself in the store, where it alone writes it.
 *
 * @param id       of the machine
 * @param life     which of its reports it is
 * @param known    the newest slot of the log that it has read
 * @param member   of etcd on it
 * @param ready    whether it could take a member now
 * @param doing    what it does now, or waits for
 * @param sight    what its own member has answered last; empty if it never has
 */
public record MachineReport(
        MachineId id,
        Life life,
        Known known,
        OfEtcd member,
        Readiness ready,
        Doing doing,
        Optional<Sight> sight) {

    public MachineReport {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(life, "life");
        Objects.requireNonNull(known, "known");
        Objects.requireNonNull(member, "member");
        Objects.requireNonNull(ready, "ready");
        Objects.requireNonNull(doing, "doing");
        Objects.requireNonNull(sight, "sight");
    }

    /** One of a machine whose member has not answered. */
    public MachineReport(
            MachineId id, Life life, Known known, OfEtcd member, Readiness ready, Doing doing) {
        this(id, life, known, member, ready, doing, Optional.empty());
    }

    /**
     * The same, with what an earlier one tells of the log and of the data of the same member: a machine
     * that was put back may write before it has read that, and the store may not have it any more.
     */
    public MachineReport after(MachineReport earlier) {
        boolean same =
                member.id().isPresent() && member.id().equals(earlier.member().id());
        OfEtcd both = same ? member.with(member.floor().or(earlier.member().floor())) : member;
        Known most = earlier.known().slot() < known.slot() ? known : earlier.known();
        return new MachineReport(id, life, most, both, ready, doing, sight);
    }

    /**
     * What the member of a machine has answered.
     *
     * @param served whether there was a quorum and a leader when the report was written
     * @param index  of raft's log, up to which the member was
     */
    public record Sight(boolean served, long index) {}

    /**
     * Which report it is.
     *
     * @param run  how often the daemon has been started on the machine
     * @param beat how many reports the run has written; it grows with each
     * @param tool program and version that wrote it
     */
    public record Life(long run, long beat, String tool) {}

    /**
     * A slot of the log, and what is there.
     *
     * @param slot 0 if the log is empty
     * @param hash SHA-256 of its bytes, hexadecimal; of the cluster file for slot 0
     */
    public record Known(long slot, String hash) {}

    /**
     * etcd on the machine.
     *
     * @param hostname   of the machine
     * @param address    by which others reach it
     * @param unit       state of etcd's unit
     * @param id         of the member that the machine has, also if its data are lost; empty if it
     *                   has none
     * @param generation of the log that the member belongs to; 0 if there is no member
     * @param floor      of its data
     */
    public record OfEtcd(
            String hostname,
            String address,
            UnitState unit,
            Optional<MemberId> id,
            int generation,
            Floor floor) {

        OfEtcd with(Floor now) {
            return new OfEtcd(hostname, address, unit, id, generation, now);
        }
    }

    /**
     * What etcd has had at the least; data behind it are older than they were.
     *
     * @param index of raft's log that etcd has told to be committed
     * @param term  of raft at that time
     */
    public record Floor(long term, long index) {

        /** Nothing is known. */
        public static final Floor NONE = new Floor(0, 0);

        /** Whether it is higher in one of them. */
        public boolean above(long otherTerm, long otherIndex) {
            return term > otherTerm || index > otherIndex;
        }

        /** What is known by this one or another. */
        public Floor or(Floor other) {
            return new Floor(Math.max(term, other.term), Math.max(index, other.index));
        }
    }

    /**
     * Whether the machine could take a member.
     *
     * @param missing what it lacks, in words; empty if it is ready
     */
    public record Readiness(List<String> missing) {

        public Readiness {
            missing = List.copyOf(missing);
        }

        /** Whether nothing is missing. */
        public boolean ok() {
            return missing.isEmpty();
        }
    }

    /**
     * What it does.
     *
     * @param step the command that is running; empty if none is
     * @param code what it waits for; empty if it waits for nothing
     * @param text the same in words
     */
    public record Doing(Optional<String> step, Optional<WaitCode> code, String text) {}
}
