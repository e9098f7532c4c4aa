package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.added;
import static io.kjadm.etcd.auto.WrittenLog.form;
import static io.kjadm.etcd.auto.WrittenLog.seat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Entry.Place;
import io.kjadm.etcd.auto.EntryBody.Abandon;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Done;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Progress;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.EntryBody.Restore;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.EntryBody.Retire;
import io.kjadm.etcd.auto.EntryBody.Snapshot;
import io.kjadm.etcd.auto.EntryBody.Source;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** What holds of every log, whatever entries anybody has written to it. */
class CharterPropertyTest {

    private static final int LOGS = 2_000;
    private static final int LENGTH = 60;
    private static final List<MachineId> MACHINES = List.of(A, B, C, D);

    @Test
    void everyLogKeepsWhatWasPromised() {
        Set<Phase> reached = EnumSet.noneOf(Phase.class);
        for (long seed = 1; seed <= LOGS; seed++) {
            String name = "seed " + seed;
            Random random = new Random(seed);
            WrittenLog log = WrittenLog.seeded(1 + random.nextInt(5));
            WrittenLog other = log;
            List<Integer> ready = new ArrayList<>();
            for (int i = 0; i < LENGTH; i++) {
                Optional<Entry> written =
                        random.nextInt(20) == 0 ? Optional.empty() : Optional.of(any(log, random));
                Charter before = log.charter();
                boolean valid = written.filter(entry -> before.objection(entry).isEmpty())
                        .isPresent();
                log = log.with(written);
                // another reader may as well find junk where a void entry is
                other = other.with(valid ? written : Optional.empty());
                assertEquals(other, log, name);
                check(before, log.charter(), ready, name);
                reached.add(log.phase());
            }
        }
        assertEquals(EnumSet.allOf(Phase.class), reached);
    }

    private static void check(Charter before, Charter after, List<Integer> ready, String seed) {
        assertEquals(before.tail().slot() + 1, after.tail().slot(), seed);
        assertTrue(
                before.phase() != Phase.OPEN
                        || after.phase() == Phase.OPEN
                        || after.phase() == Phase.ENDING
                        || after.phase() == Phase.RETIRED,
                seed);
        assertTrue(before.phase() != Phase.RETIRED || after.phase() == Phase.RETIRED, seed);
        assertTrue(before.generation() <= after.generation(), seed);
        assertTrue(
                after.phase() == Phase.RETIRED
                        || after.voters().isEmpty() == (after.phase() == Phase.NONE),
                seed);
        checkEnding(before, after, ready, seed);
        assertTrue(after.phase() != Phase.NONE || after.change().isEmpty(), seed);
        boolean replaced = before.change().isPresent()
                && after.change().isPresent()
                && !before.change().equals(after.change());
        assertTrue(!replaced, seed);
        boolean begunInPause = before.pause().isPresent()
                && before.change().isEmpty()
                && before.phase() != Phase.ENDING
                && after.change().isPresent();
        assertTrue(!begunInPause, seed);
        if (before.phase() == after.phase() && before.generation() == after.generation()) {
            Set<MemberId> gone = new HashSet<>(before.voterIds());
            gone.removeAll(after.voterIds());
            boolean known = before.change()
                            .flatMap(open -> open.body().removed())
                            .filter(removed -> gone.equals(Set.of(removed)))
                            .isPresent()
                    || !before.members().held().equals(after.members().held());
            assertTrue(gone.isEmpty() || known, seed);
        }
        if (before.phase() == Phase.FORMING && after.phase() == Phase.OPEN) {
            assertTrue(ready.isEmpty() || before.ending().isPresent(), seed);
            ready.add(after.generation());
            assertTrue(after.voters().size() >= after.seed().spec().formWith(), seed);
        }
        assertTrue(after.phase() != Phase.OPEN || ready.getLast().equals(after.generation()), seed);
        long ids = after.voters().stream().map(Seat::id).distinct().count();
        assertEquals(after.voters().size(), ids, seed);
    }

    /** A cluster that clients have used ends by an operator's word alone, and nothing is beside it. */
    private static void checkEnding(
            Charter before, Charter after, List<Integer> ready, String seed) {
        assertTrue(ready.isEmpty() || after.phase() != Phase.NONE, seed);
        assertTrue(after.phase() != Phase.ENDING || after.ending().isPresent(), seed);
        assertTrue(after.phase() != Phase.OPEN || after.ending().isEmpty(), seed);
        boolean begins = before.phase() == Phase.ENDING && after.phase() == Phase.FORMING;
        if (begins) {
            Ending end = before.ending().orElseThrow();
            assertTrue(end.rule().holds(end::out), seed);
            assertEquals(end.began().generation(), ready.getLast(), seed);
        }
        boolean goesOn = before.phase() == Phase.ENDING && after.phase() == Phase.OPEN;
        assertTrue(!goesOn || after.generation() == before.generation(), seed);
    }

    /** Valid about every second time. */
    private static Entry any(WrittenLog log, Random random) {
        Charter charter = log.charter();
        MachineId machine = MACHINES.get(random.nextInt(MACHINES.size()));
        int generation = charter.generation() + wrong(random);
        EntryBody body = switch (random.nextInt(14)) {
            case 0 ->
                new Form(
                        generation + 1,
                        "token",
                        machine,
                        seat(random.nextInt(8) == 0 ? A : machine),
                        "c" + generation);
            case 1 -> new Ready(generation);
            case 2 ->
                random.nextInt(4) == 0 ? new Abandon(generation) : form(generation + 1, machine);
            case 3, 4 ->
                Change.add(
                        generation,
                        added(random.nextInt(8) == 0 ? A : machine),
                        random.nextInt(8) == 0 ? Set.of(seat(machine).id()) : charter.voterIds());
            case 5, 6 -> done(charter, machine, random);
            case 7 -> new Pause(Optional.of(Duration.ofMinutes(1)), "");
            case 8 ->
                Change.remove(
                        generation,
                        machine,
                        seat(MACHINES.get(random.nextInt(MACHINES.size()))).id(),
                        charter.voterIds());
            case 9 -> new Observed(done(charter, machine, random).voters());
            case 10, 11 -> ofAnEnd(charter, machine, random);
            case 12 ->
                random.nextInt(30) == 0
                        ? new Retire("")
                        : new Fenced(
                                charter.ending()
                                        .map(end -> end.began().generation())
                                        .orElse(generation),
                                seat(machine).id(),
                                Optional.of(new Progress(
                                        random.nextInt(3), 0, 1, random.nextInt(3), 0, 1)),
                                random.nextInt(4) == 0 ? charter.voterIds() : Set.of(),
                                "");
            default ->
                new Resume(charter.pause()
                                .map(Open::slot)
                                .or(charter.members()::held)
                                .orElse(1L)
                        + wrong(random));
        };
        Optional<MachineId> author = random.nextInt(8) == 0
                ? Optional.empty()
                : Optional.of(author(body, charter, random).orElse(machine));
        Place next = charter.next();
        Place place = random.nextInt(10) == 0
                ? new Place(
                        next.uid(),
                        next.slot() + wrong(random),
                        random.nextBoolean() ? "" : next.previous())
                : next;
        return WrittenLog.entry(author, place, body);
    }

    private static EntryBody ofAnEnd(Charter charter, MachineId machine, Random random) {
        int generation =
                charter.ending().map(end -> end.began().generation()).orElse(charter.generation())
                        + wrong(random);
        Set<MemberId> lost =
                new HashSet<>(charter.ending().map(end -> end.order().lost()).orElse(Set.of()));
        MACHINES.stream()
                .filter(_ -> random.nextInt(3) == 0)
                .forEach(other -> lost.add(seat(other).id()));
        Source.Kind kind = Source.Kind.values()[random.nextInt(3)];
        return new Restore(
                generation,
                lost,
                kind == Source.Kind.SURVIVOR ? Optional.of(machine) : Optional.empty(),
                new Source(
                        kind,
                        kind == Source.Kind.SNAPSHOT
                                ? Optional.of(new Snapshot("/backup", "snap-1", "c1", 7))
                                : Optional.empty()),
                random.nextInt(4) == 0,
                "");
    }

    private static Optional<MachineId> author(EntryBody body, Charter charter, Random random) {
        return switch (body) {
            case Ready _ -> charter.founder().filter(_ -> random.nextInt(8) > 0);
            case Done _ ->
                charter.change()
                        .map(open -> open.body().actor())
                        .filter(_ -> random.nextInt(8) > 0);
            default -> Optional.empty();
        };
    }

    private static Done done(Charter charter, MachineId machine, Random random) {
        List<Seat> voters = new ArrayList<>(charter.voters());
        MachineId joined = charter.change()
                .flatMap(open -> open.body().added())
                .map(added -> added.machine())
                .orElse(machine);
        switch (random.nextInt(8)) {
            case 0 -> voters.add(seat(machine));
            case 1 -> voters.removeIf(seat -> seat.on(machine));
            case 2 -> {
                // it was rolled back
            }
            default -> {
                Optional<MemberId> removed =
                        charter.change().flatMap(open -> open.body().removed());
                if (removed.isEmpty()) {
                    voters.add(seat(joined));
                }
                voters.removeIf(seat -> removed.filter(seat.id()::equals).isPresent());
            }
        }
        return new Done(charter.change().map(Open::slot).orElse(1L) + wrong(random), voters);
    }

    private static int wrong(Random random) {
        return random.nextInt(10) == 0 ? random.nextInt(3) - 1 : 0;
    }
}
