package io.kjadm.core.auto;

import com.fasterxml.jackson.core.JsonProcessingException;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.JsonInput;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.JournalJson;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.WalReader.DamagedException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The disk of this machine's member. It has an identity, so that an empty directory is not taken for
 * lost data: what is not the expected disk may be mounted later.
 */
public final class OwnDisk {

    /** What etcd told that long ago is on the disk, whatever the kernel has in its memory. */
    private static final Duration WRITTEN = Duration.ofSeconds(5);
    /** A file of the machine's is written that often while etcd serves. */
    private static final Duration PERIOD = Duration.ofSeconds(30);

    private static final int ID_BYTES = 8;

    private final HostFiles files;
    private final Path file;
    private final RandomGenerator random;

    private Optional<Told> told = Optional.empty();
    private Instant noted = Instant.MIN;

    private record Told(MemberIds of, Floor floor, Instant at) {}

    /** @param file with what is remembered of it */
    public OwnDisk(HostFiles files, Path file, RandomGenerator random) {
        this.files = files;
        this.file = file;
        this.random = random;
    }

    /**
     * What is remembered; empty on a machine without a member.
     *
     * @throws HostException if it cannot be read
     */
    Optional<DiskNote> note() {
        Optional<String> text = files.read(file);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(JournalJson.read(JournalJson.parse(text.get()), DiskNote.class));
        } catch (JsonProcessingException e) {
            throw new HostException(
                    "%s cannot be read".formatted(file),
                    JsonInput.fault(e),
                    "run 'kjadm etcd auto pause', then 'kjadm etcd reset' on this machine; another member takes its place",
                    e);
        }
    }

    void keep(DiskNote note) {
        files.write(
                file,
                JournalJson.text(JournalJson.tree(note)).getBytes(StandardCharsets.UTF_8),
                FileMode.OWNER_ONLY);
    }

    /** The automatic mode has ended; another one may begin with the same data. */
    void forget() {
        startRefusal().forget();
        files.delete(file);
    }

    /** Whose data are on it, as it is remembered, or else by the data; empty if there are none. */
    Optional<MemberId> member() {
        return note().flatMap(note -> note.ids()
                .map(MemberIds::memberId)
                .or(() -> new DataDirReader(files).read(note.directory())
                                instanceof DataDirectory.Held held
                        ? Optional.of(held.identity().memberId())
                        : Optional.empty()));
    }

    /** Why etcd was not started with its data. */
    StartRefusal startRefusal() {
        return new StartRefusal(files, file.resolveSibling("start-refused.json"));
    }

    /** What is known of the data: they are behind it only if they were reverted. */
    public Floor floor() {
        return note().map(DiskNote::floor).orElse(Floor.NONE);
    }

    /**
     * Why the data are not those that this machine's member has left; empty if they are, or nothing
     * is remembered.
     *
     * @param machine  this one
     * @param runs     whether etcd runs on them: they are not read then
     * @param reported this machine's report as it is in the store
     */
    Optional<Data> objection(MachineId machine, boolean runs, Optional<MachineReport> reported) {
        Optional<DiskNote> note = note();
        return note.isEmpty() ? Optional.empty() : objection(note.get(), machine, runs, reported);
    }

    private Optional<Data> objection(
            DiskNote note, MachineId machine, boolean runs, Optional<MachineReport> reported) {
        DiskPlace.Found now = DiskPlace.of(files, note.directory());
        if (!now.place().is(note.place())) {
            return Optional.of(otherPlace(note, now.place()));
        }
        if (now.readOnly()) {
            return Optional.of(new Data.OtherDisk(
                    "the file system of %s is read-only".formatted(note.directory()),
                    "find out why in the kernel's log, then mount it for writing"));
        }
        Optional<DiskMarker> marker;
        try {
            marker = DiskMarker.read(files, note.directory());
        } catch (HostException e) {
            return Optional.of(OwnData.unreadable(note.directory(), e));
        }
        Optional<DiskMarker> foreign = marker.filter(it -> !it.machine().equals(machine)
                || !it.uid().equals(note.uid())
                || !it.id().equals(note.disk()) && !isUnmarked(note));
        if (foreign.isPresent()) {
            return Optional.of(new Data.OtherDisk(
                    "%s holds disk %s of machine %s, and this machine has disk %s"
                            .formatted(
                                    note.directory(),
                                    foreign.get().id(),
                                    foreign.get().machine(),
                                    note.disk()),
                    "mount the disk of this machine"));
        }
        if (runs) {
            return Optional.empty();
        }
        try {
            Optional<WalTail> tail = WalTail.read(files, note.directory());
            if (marker.isEmpty() && tail.isPresent()) {
                return Optional.of(
                        new Data.OtherDisk(
                                "%s does not say whose disk it is".formatted(note.directory()),
                                "run 'kjadm etcd auto accept-disk' if it holds the data of this machine's member"));
            }
            return tail.map(it -> objection(note, it, reported))
                    .orElseGet(() -> note.ids()
                            .map(ids -> new Data.Lost("%s is empty, and %s was in it"
                                    .formatted(note.directory(), ids))));
        } catch (DamagedException e) {
            return Optional.of(new Data.Lost("the write-ahead log in %s is damaged: %s"
                    .formatted(note.directory(), e.getMessage())));
        } catch (IOException | HostException e) {
            return Optional.of(OwnData.unreadable(note.directory(), e));
        }
    }

    private static Data otherPlace(DiskNote note, DiskPlace now) {
        return new Data.OtherDisk(
                "%s is %s of file system %s; the data of this machine's member are in %s of file system %s"
                        .formatted(
                                note.directory(),
                                now.path(),
                                now.fileSystem(),
                                note.place().path(),
                                note.place().fileSystem()),
                "%s; if it is gone for good, run 'kjadm etcd auto accept-disk --data-lost'"
                        .formatted(bringBack(note.place().mountPoint(), now.mountPoint())));
    }

    private static String bringBack(Path before, Path now) {
        if (!now.equals(before) && now.startsWith(before)) {
            return "unmount " + now;
        }
        return before.getNameCount() == 0
                ? "start this machine from that file system"
                : "mount it at " + before;
    }

    /** It was killed between the note and the mark, and the disk has that of the member before. */
    private boolean isUnmarked(DiskNote note) {
        return note.ids().isEmpty() && !WalTail.isIn(files, note.directory());
    }

    private static Optional<Data> objection(
            DiskNote note, WalTail tail, Optional<MachineReport> reported) {
        MemberId member = tail.ids().memberId();
        if (note.previous().filter(member::equals).isPresent()) {
            return Optional.of(
                    new Data.Lost("%s holds the data of member %s, which this machine has given up"
                            .formatted(note.directory(), member)));
        }
        if (note.ids().filter(ids -> !ids.equals(tail.ids())).isPresent()) {
            return Optional.of(new Data.OtherDisk(
                    "%s holds data of %s, and this machine has %s"
                            .formatted(note.directory(), tail.ids(), note.ids().get()),
                    "mount the disk of this machine; if its data are gone for good, move %s away, then run 'kjadm etcd auto accept-disk --data-lost'"
                            .formatted(note.directory().resolve(KubernetesPaths.ETCD_MEMBER))));
        }
        Floor floor = higher(note, Optional.of(member), reported);
        return floor.above(tail.term(), tail.index())
                ? Optional.of(new Data.Lost(
                        "the data in %s are older than they were: the log ends with entry %d of term %d, and had entry %d of term %d"
                                .formatted(
                                        note.directory(),
                                        tail.index(),
                                        tail.term(),
                                        floor.index(),
                                        floor.term())))
                : Optional.empty();
    }

    /** A machine that was reverted as a whole finds in the store what it has forgotten. */
    private static Floor higher(
            DiskNote note, Optional<MemberId> member, Optional<MachineReport> reported) {
        return reported.map(MachineReport::member)
                .filter(told -> told.id().isPresent() && told.id().equals(member))
                .map(told -> note.floor().or(told.floor()))
                .orElse(note.floor());
    }

    /**
     * A command is about to set up a member of that machine: what is remembered is written first,
     * then the disk is marked.
     *
     * @param dataDir of etcd
     */
    void begins(Path dataDir, Charter charter, MachineId machine, Instant now) {
        String begun = charter.change()
                .filter(change -> change.body().actor().equals(machine))
                .map(change -> "slot " + change.slot())
                .orElse("generation " + charter.generation());
        Optional<DiskNote> before = note();
        files.createDirectory(dataDir, FileMode.PRIVATE_DIRECTORY);
        DiskNote note = before.filter(it -> it.begun().equals(begun)
                        && it.uid().equals(charter.seed().uid())
                        && it.directory().equals(dataDir))
                .orElseGet(() -> new DiskNote(
                        charter.seed().uid(),
                        begun,
                        dataDir,
                        newId(),
                        DiskPlace.of(files, dataDir).place(),
                        Optional.empty(),
                        before.flatMap(it -> it.ids().map(MemberIds::memberId).or(it::previous)),
                        Floor.NONE));
        keep(note);
        mark(note, machine, now);
    }

    private String newId() {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return "d-" + HexFormat.of().formatHex(bytes);
    }

    private void mark(DiskNote note, MachineId machine, Instant now) {
        DiskMarker marker = new DiskMarker(note.disk(), note.uid(), machine, now);
        boolean same = DiskMarker.read(files, note.directory())
                .filter(it -> it.id().equals(marker.id())
                        && it.uid().equals(marker.uid())
                        && it.machine().equals(machine))
                .isPresent();
        if (!same) {
            marker.write(files, note.directory());
        }
    }

    /** Remembers what the log and etcd tell of this machine's member. */
    void seen(AutoFacts facts, Instant now) {
        Optional<DiskNote> note = note();
        if (note.isEmpty()) {
            return;
        }
        // the report that is written next has no more of what the store knows
        Optional<MachineReport> report = Optional.ofNullable(
                        facts.machines().get(facts.self().id()))
                .map(AutoFacts.Seen::report);
        boolean copy = facts.local().stops().copy().isPresent();
        DiskNote next = forgotten(note.get(), facts, report)
                .filter(_ -> !copy)
                .map(note.get()::with)
                .orElse(note.get());
        next = next.with(higher(next, next.ids().map(MemberIds::memberId), report));
        if (!copy && facts.local().data() instanceof Data.Held held) {
            next = held(next, held, facts, now);
        }
        if (!next.equals(note.get())) {
            keep(next);
        }
    }

    /** The voter that this machine has reported, and does not know: it was put back to its join. */
    private static Optional<MemberIds> forgotten(
            DiskNote note, AutoFacts facts, Optional<MachineReport> report) {
        return facts.charter()
                .seat(facts.self().id())
                .map(Seat::id)
                .filter(member -> note.ids().isEmpty()
                        && note.previous().filter(member::equals).isEmpty()
                        && report.flatMap(it -> it.member().id())
                                .filter(member::equals)
                                .isPresent())
                .map(member -> new MemberIds(facts.charter().cluster().orElseThrow(), member));
    }

    private DiskNote held(DiskNote note, Data.Held held, AutoFacts facts, Instant now) {
        DiskNote next = note;
        Optional<MemberId> seated = facts.charter().seat(facts.self().id()).map(Seat::id);
        boolean changing = facts.charter()
                .change()
                .filter(change -> change.body().actor().equals(facts.self().id()))
                .isPresent();
        // a voter has promised something, also before the log says that it votes
        boolean known = !changing && held.member().equals(seated)
                || held.member()
                        .filter(member -> facts.etcd()
                                        instanceof EtcdView.Answers(var health, String _)
                                && health.find(member).filter(Member::voter).isPresent())
                        .isPresent();
        if (next.ids().isEmpty() && held.member().isPresent() && known) {
            next = next.with(new MemberIds(
                    facts.charter().cluster().orElseThrow(), held.member().get()));
        }
        return next.with(next.floor().or(risen(next, facts.etcd(), now)));
    }

    /** What etcd has told a while ago, and tells of a later time again. */
    private Floor risen(DiskNote note, EtcdView etcd, Instant now) {
        Optional<MemberStatus> status = etcd instanceof EtcdView.Answers(var health, String _)
                ? note.ids().flatMap(ids -> health.status(ids.memberId()))
                : Optional.empty();
        // a former member's log is another one
        told = told.filter(it -> note.ids().filter(it.of()::equals).isPresent());
        Optional<Told> old =
                told.filter(it -> Duration.between(it.at(), now).compareTo(WRITTEN) >= 0);
        if (status.isPresent() && (told.isEmpty() || old.isPresent())) {
            told = Optional.of(new Told(
                    note.ids().orElseThrow(),
                    new Floor(status.get().raftTerm(), status.get().raftIndex()),
                    now));
        }
        if (old.isEmpty()
                || noted != Instant.MIN && Duration.between(noted, now).compareTo(PERIOD) < 0) {
            return Floor.NONE;
        }
        noted = now;
        return old.get().floor();
    }

    /**
     * A person's word that the disk that is mounted now is this machine's.
     *
     * @param lost whether the data are gone for good; else they are on it
     * @throws HostException if they are not, or the disk is another machine's
     */
    public void accept(MachineId machine, boolean lost, Instant now) {
        DiskNote note = note().orElseThrow(() -> new HostException(
                "this machine has no member of the automatic mode",
                "there is no " + file,
                "see 'kjadm etcd auto status'"));
        refuseForeign(note, machine);
        DiskNote accepted = note.on(
                lost ? newId() : note.disk(),
                DiskPlace.of(files, note.directory()).place());
        if (lost) {
            if (WalTail.isIn(files, note.directory())) {
                throw new HostException(
                        "%s is not empty".formatted(note.directory()),
                        "it holds data of a member",
                        "run 'kjadm etcd auto accept-disk' without --data-lost if they are this machine's; else move them away");
            }
        } else {
            requireData(note);
        }
        keep(accepted);
        mark(accepted, machine, now);
    }

    private void refuseForeign(DiskNote note, MachineId machine) {
        DiskMarker.read(files, note.directory())
                .filter(marker -> !marker.machine().equals(machine))
                .ifPresent(marker -> {
                    throw new HostException(
                            "%s holds the disk of another machine".formatted(note.directory()),
                            "it says that it is disk %s of machine %s"
                                    .formatted(marker.id(), marker.machine()),
                            "mount the disk of this machine");
                });
    }

    private void requireData(DiskNote note) {
        String why;
        try {
            Optional<WalTail> tail = WalTail.read(files, note.directory());
            why = tail.isEmpty()
                    ? "it has no write-ahead log"
                    : objection(note, tail.get(), Optional.empty())
                            .map(OwnDisk::text)
                            .orElse("");
        } catch (DamagedException | IOException e) {
            why = e.getMessage();
        }
        if (!why.isEmpty()) {
            throw new HostException(
                    "%s does not hold the data of this machine's member"
                            .formatted(note.directory()),
                    why,
                    "mount its disk; if the data are gone for good, run 'kjadm etcd auto accept-disk --data-lost'");
        }
    }

    private static String text(Data data) {
        return switch (data) {
            case Data.Lost(String why) -> why;
            case Data.OtherDisk(String why, String _) -> why;
            default -> "";
        };
    }
}
