package io.kjadm.core.auto;

import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.etcd.check.DataDirectory;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** What a machine has of its member's data, by the disk, the data directory and the log. */
public final class OwnData {

    /** How far a member was set up on a machine. */
    public enum Begun {
        /** Nothing shows that it was. */
        NOT,
        /** Something does. */
        BEGUN,
        /** etcd ran with its data. */
        FINISHED
    }

    private final AutoMemory memory;
    private final OwnDisk disk;
    private final HostFiles files;
    private final Supplier<Path> dataDir;

    /** @param dataDir of etcd, unless another one was noted */
    public OwnData(AutoMemory memory, OwnDisk disk, HostFiles files, Supplier<Path> dataDir) {
        this.memory = memory;
        this.disk = disk;
        this.files = files;
        this.dataDir = dataDir;
    }

    /** Where the data are: a daemon may have been started without the flag that names the directory. */
    Path directory() {
        return disk.note().map(DiskNote::directory).orElseGet(dataDir);
    }

    /**
     * What there is of them.
     *
     * @param begun    how far a member was set up on this machine
     * @param runs     whether etcd runs: its data are not read then
     * @param reported this machine's report as it is in the store
     */
    public Data look(Charter charter, Begun begun, boolean runs, Optional<MachineReport> reported) {
        ForeignDisk foreign = new ForeignDisk(files, directory(), memory.id(), disk.note());
        Optional<Data> objection = foreign.look(charter, begun == Begun.NOT && !runs)
                .or(() -> foreign.isGivenUp()
                        ? Optional.empty()
                        : disk.objection(memory.id(), runs, reported));
        if (objection.isPresent()) {
            return objection.get();
        }
        Optional<MemberId> running =
                disk.note().filter(_ -> runs).flatMap(DiskNote::ids).map(MemberIds::memberId);
        return expected(
                charter,
                begun,
                running.<Data>map(id -> new Data.Held(memory.generation(), Optional.of(id)))
                        .orElseGet(() -> read(begun)));
    }

    private Data read(Begun begun) {
        return switch (new DataDirReader(files).read(directory())) {
            case DataDirectory.Unreadable(String _, String why) -> new Data.Unreadable(why);
            case DataDirectory.Held held ->
                new Data.Held(memory.generation(), Optional.of(held.identity().memberId()));
            default ->
                begun == Begun.NOT
                        ? new Data.Blank()
                        : new Data.Held(memory.generation(), Optional.empty());
        };
    }

    /**
     * A machine that was put back to what it was may have the data of an earlier member, or none. One
     * that has a voter had data, also if it was killed before it noted that.
     */
    private Data expected(Charter charter, Begun begun, Data data) {
        boolean none = data instanceof Data.Blank;
        Optional<MemberId> member = Optional.empty();
        if (data instanceof Data.Held(int generation, var held)) {
            none = held.isEmpty() && generation == charter.generation();
            member = held.filter(_ -> generation == charter.generation());
        }
        Optional<Seat> seat = charter.seat(memory.id())
                .filter(_ -> charter.runs() && charter.change().isEmpty());
        if (seat.isEmpty() || none && begun != Begun.FINISHED && founds(charter)) {
            return data;
        }
        MemberId listed = seat.get().id();
        boolean aside = memory.fenced(charter)
                .filter(it -> it.generation() == charter.generation())
                .isPresent();
        if (none && aside) {
            // they were moved aside, and a restore was taken back
            return data;
        }
        if (none) {
            return new Data.Lost(
                    "there are no data on this machine, and the log lists its member %s"
                            .formatted(listed));
        }
        if (member.filter(it -> !it.equals(listed)).isPresent()) {
            return new Data.Lost("the data on this machine are of member %s, and the log lists %s"
                    .formatted(member.get(), listed));
        }
        boolean forgotten = member.isEmpty()
                && begun != Begun.FINISHED
                && data instanceof Data.Held(int _, var held)
                && held.filter(listed::equals).isPresent();
        return forgotten
                ? new Data.Lost(
                        "this machine has data of its member %s, and does not remember that it has set it up: nothing shows how old they are"
                                .formatted(listed))
                : data;
    }

    /** A command is about to set up a member of this machine. */
    public void begins(Charter charter, Instant now) {
        disk.begins(dataDir.get(), charter, memory.id(), now);
    }

    /**
     * Remembers what the log and etcd tell of this machine's member. The disk of one that was set up
     * without the automatic mode is marked as soon as the log has it.
     */
    public void seen(AutoFacts facts, Instant now) {
        if (unmarked(facts)) {
            // the disk first: a member without data counts as lost once its generation is known
            begins(facts.charter(), now);
            memory.begins(facts.charter().generation());
        }
        disk.seen(facts, now);
    }

    private boolean unmarked(AutoFacts facts) {
        return facts.charter().runs()
                && facts.charter()
                        .change()
                        .filter(change -> change.body().actor().equals(memory.id()))
                        .isEmpty()
                && facts.local().stops().copy().isEmpty()
                && facts.local().setUp()
                && Set.of(UnitState.ACTIVE, UnitState.RESTARTING, UnitState.FAILED)
                        .contains(facts.local().unit())
                && (disk.note().isEmpty()
                        || memory.generation() != facts.charter().generation())
                && facts.local().data() instanceof Data.Held(int _, Optional<MemberId> member)
                && facts.charter().seat(memory.id()).map(Seat::id).equals(member);
    }

    /** Whether the only member is this machine's, and may not have been started yet. */
    private boolean founds(Charter charter) {
        return charter.phase() == Phase.FORMING
                && charter.voters().size() == 1
                && charter.founder().filter(memory.id()::equals).isPresent();
    }

    /** What cannot be read may be there: nothing is done by it. */
    static Data unreadable(Path directory, Exception e) {
        return new Data.Unreadable("%s cannot be read: %s".formatted(directory, e.getMessage()));
    }
}
