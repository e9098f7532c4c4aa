package io.kjadm.etcd.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Charter.Seed;
import io.kjadm.etcd.auto.Entry.Author;
import io.kjadm.etcd.auto.EntryBody.Abandon;
import io.kjadm.etcd.auto.EntryBody.Added;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Done;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Progress;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.EntryBody.Restore;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.EntryBody.Source;
import io.kjadm.etcd.auto.EntryBody.Spec;

import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A log in memory: machines {@link #A} to {@link #D} write entries to it, and it is folded at once.
 *
 * @param charter what it folds to
 */
record WrittenLog(Charter charter) {

    static final MachineId A = new MachineId("m-000000000000000a");
    static final MachineId B = new MachineId("m-000000000000000b");
    static final MachineId C = new MachineId("m-000000000000000c");
    static final MachineId D = new MachineId("m-000000000000000d");
    static final MachineId E = new MachineId("m-000000000000000e");
    static final String UID = "6f0c41";
    static final EtcdVersion VERSION = EtcdVersion.parse("3.6.14");
    static final String CLUSTER = "c1";

    // ---- logs

    /** Without an entry, of a cluster that wants so many voters. */
    static WrittenLog seeded(int nodes) {
        return new WrittenLog(Charter.seeded(
                new Seed(UID, ClusterSpec.of(VERSION, nodes), Optional.empty()), hash(0)));
    }

    /** Without an entry, of a cluster that others have set up. */
    static WrittenLog adopting() {
        return new WrittenLog(Charter.seeded(
                new Seed(UID, ClusterSpec.of(VERSION, 3), Optional.of(CLUSTER)), hash(0)));
    }

    /** Founded by {@link #A}, three voters are wanted. */
    static WrittenLog forming() {
        return seeded(3).with(A, form(1, A));
    }

    /** {@link #B} is joining. */
    static WrittenLog joining() {
        return forming().joining(B);
    }

    /** Two voters, and no client uses them. */
    static WrittenLog pair() {
        return joining().joined(B);
    }

    /** Clients use the two voters. */
    static WrittenLog open() {
        return pair().with(A, new Ready(1));
    }

    /** Clients use three voters of three. */
    static WrittenLog complete() {
        return open().joining(C).joined(C);
    }

    /** The change of a machine is open. */
    /** A's data are the next generation's, of A and D; B and C were lost. */
    static WrittenLog restored() {
        return complete()
                .ending(A, B, C)
                .fenced(A)
                .with(A, form(2, A))
                .joining(D)
                .joined(D)
                .with(A, new Ready(2));
    }

    WrittenLog joining(MachineId machine) {
        return with(machine, change(machine));
    }

    /** Its change is closed, and it votes. */
    WrittenLog joined(MachineId machine) {
        return with(machine, done(seat(machine)));
    }

    WrittenLog paused() {
        return with(A, new Pause(Optional.empty(), "a switch is replaced"));
    }

    /** An operator wants so many voters. */
    WrittenLog wanting(int nodes) {
        return wanting(ClusterSpec.of(VERSION, nodes));
    }

    WrittenLog wanting(ClusterSpec spec) {
        return with(Optional.empty(), new Spec(spec));
    }

    WrittenLog resumed() {
        return with(A, new Resume(charter.pause().orElseThrow().slot()));
    }

    WrittenLog abandoned() {
        return with(B, new Abandon(charter.generation()));
    }

    /** A generation that was open ends, with the data of a machine; these members are lost. */
    WrittenLog ending(MachineId survivor, MachineId... lost) {
        return with(Optional.empty(), restore(survivor, lost));
    }

    /** The machines have stopped their members; all of them were as far. */
    WrittenLog fenced(MachineId... machines) {
        WrittenLog log = this;
        for (MachineId machine : machines) {
            log = log.with(machine, fenced(machine, 100));
        }
        return log;
    }

    /** With an entry that is valid. */
    WrittenLog with(MachineId author, EntryBody body) {
        return with(Optional.of(author), body);
    }

    WrittenLog with(Optional<MachineId> author, EntryBody body) {
        Entry entry = entry(author, body);
        assertEquals(Optional.empty(), charter.objection(entry), body::toString);
        return with(Optional.of(entry));
    }

    /** With an object, valid or not. */
    WrittenLog with(Optional<Entry> entry) {
        return new WrittenLog(charter.after(hash(charter.tail().slot() + 1), entry));
    }

    // ---- entries

    Entry entry(Optional<MachineId> author, EntryBody body) {
        return entry(author, charter.next(), body);
    }

    static Entry entry(Optional<MachineId> author, Entry.Place place, EntryBody body) {
        return new Entry(
                place,
                new Author(author, author.isPresent() ? 1 : 0, "8a77", Instant.EPOCH),
                body,
                "",
                "");
    }

    static Form form(int generation, MachineId founder) {
        return new Form(generation, "kjadm-" + generation, founder, seat(founder), CLUSTER);
    }

    Change change(MachineId machine) {
        return Change.add(charter.generation(), added(machine), charter.voterIds());
    }

    /** A machine removes the voter of another one. */
    Change removal(MachineId actor, MachineId removed) {
        return Change.remove(charter.generation(), actor, seat(removed).id(), charter.voterIds());
    }

    /** A machine has removed the voter of another one. */
    WrittenLog removed(MachineId actor, MachineId removed) {
        WrittenLog removing = with(actor, removal(actor, removed));
        return removing.with(actor, removing.doneWithout(removed));
    }

    /** Closes the open change: the voters as before, but for one. */
    Done doneWithout(MachineId removed) {
        return new Done(charter.change().orElseThrow().slot(), without(removed));
    }

    /** The voters but for one. */
    List<Seat> without(MachineId removed) {
        return charter.voters().stream().filter(seat -> !seat.on(removed)).toList();
    }

    static Added added(MachineId machine) {
        return new Added(machine, name(machine), List.of(peerUrl(machine)));
    }

    /** Closes the open change: the voters as before, and more. */
    Done done(Seat... more) {
        return new Done(
                charter.change().orElseThrow().slot(),
                Stream.concat(charter.voters().stream(), Stream.of(more)).toList());
    }

    Restore restore(MachineId survivor, MachineId... lost) {
        return new Restore(
                charter.current().orElseThrow().generation(),
                Stream.of(lost).map(WrittenLog::member).collect(Collectors.toSet()),
                Optional.of(survivor),
                new Source(Source.Kind.SURVIVOR, Optional.empty()),
                false,
                "");
    }

    Fenced fenced(MachineId machine, long applied) {
        return fenced(machine, new Progress(applied, applied, 2, applied, 0, 7));
    }

    Fenced fenced(MachineId machine, Progress progress) {
        return new Fenced(
                charter.current().orElseThrow().generation(),
                member(machine),
                Optional.of(progress),
                Set.of(),
                "/var/lib/etcd.fenced");
    }

    // ---- machines

    static Seat seat(MachineId machine) {
        return new Seat(
                member(machine),
                name(machine),
                Optional.of(machine),
                List.of(peerUrl(machine)),
                List.of(clientUrl(machine)));
    }

    static MemberId member(MachineId machine) {
        return new MemberId(number(machine));
    }

    static String name(MachineId machine) {
        return "etcd" + number(machine);
    }

    static String address(MachineId machine) {
        return "192.0.2." + number(machine);
    }

    static URI peerUrl(MachineId machine) {
        return URI.create("https://%s:2380".formatted(address(machine)));
    }

    static URI clientUrl(MachineId machine) {
        return URI.create("https://%s:2379".formatted(address(machine)));
    }

    private static int number(MachineId machine) {
        return Integer.parseInt(machine.text().substring(2), 16);
    }

    private static String hash(long slot) {
        return "hash-" + slot;
    }

    // ---- what readers do with an entry

    void allows(MachineId author, EntryBody body) {
        allows(entry(Optional.of(author), body));
    }

    void allows(Entry entry) {
        assertEquals(Optional.empty(), charter.objection(entry), entry::toString);
    }

    void refuses(MachineId author, EntryBody body) {
        refuses(entry(Optional.of(author), body));
    }

    /** A void entry is as good as any other bytes. */
    void refuses(Entry entry) {
        assertTrue(charter.objection(entry).isPresent(), entry::toString);
        assertEquals(with(Optional.empty()), with(Optional.of(entry)));
    }

    Phase phase() {
        return charter.phase();
    }
}
