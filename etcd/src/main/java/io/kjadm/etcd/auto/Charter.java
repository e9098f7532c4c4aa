package io.kjadm.etcd.auto;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.EntryBody.Abandon;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Done;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.EntryBody.Resume;
import io.kjadm.etcd.auto.MachineReport.Known;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The state that the log of a cluster folds to, slot by slot. Each reader folds the same log to the
 * same state, and an entry that {@link #objection} refuses is void for all of them: it takes its
 * slot and changes nothing. So two founders, or a second change while one is open, cannot be
 * written.
 *
 * @param seed   what the operator wants
 * @param tail   the newest entry
 * @param phase  how far the cluster is
 * @param formed the newest generation, also one that was abandoned; empty before the first
 * @param members of it; none if it was abandoned
 * @param pause  the pause that is open
 */
public record Charter(
        Seed seed,
        Known tail,
        Phase phase,
        Optional<Form> formed,
        Membership members,
        Optional<Open<Pause>> pause) {

    /**
     * What the cluster file says.
     *
     * @param uid  of the log
     * @param spec the cluster that is wanted
     */
    public record Seed(String uid, ClusterSpec spec) {}

    /** How far a cluster is. */
    public enum Phase {
        /** No machine has founded it, or all who did were abandoned. */
        NONE,
        /** A machine founds it; no client uses it. */
        FORMING,
        /** Clients may use it. It never goes back. */
        OPEN
    }

    /**
     * An entry whose end has not been written.
     *
     * @param slot of the entry
     */
    public record Open<T extends EntryBody>(long slot, T body) {}

    public Charter {
        Objects.requireNonNull(seed, "seed");
        Objects.requireNonNull(tail, "tail");
        Objects.requireNonNull(phase, "phase");
        Objects.requireNonNull(formed, "formed");
        Objects.requireNonNull(members, "members");
        Objects.requireNonNull(pause, "pause");
    }

    /**
     * Before the first entry.
     *
     * @param hash SHA-256 of the cluster file, hexadecimal
     */
    public static Charter seeded(Seed seed, String hash) {
        return new Charter(
                seed,
                new Known(0, hash),
                Phase.NONE,
                Optional.empty(),
                Membership.NONE,
                Optional.empty());
    }

    /** The voters of the generation that is forming or open. */
    public List<Seat> voters() {
        return members.voters();
    }

    /** The change of members that is open. */
    public Optional<Open<Change>> change() {
        return members.change();
    }

    /** The newest generation; 0 before the first. */
    public int generation() {
        return formed.map(Form::generation).orElse(0);
    }

    /** The founder of the generation that is forming or open. */
    public Optional<MachineId> founder() {
        return phase == Phase.NONE ? Optional.empty() : formed.map(Form::founder);
    }

    /** ID of the cluster that is forming or open. */
    public Optional<String> cluster() {
        return phase == Phase.NONE ? Optional.empty() : formed.map(Form::cluster);
    }

    /** The voter on a machine. */
    public Optional<Seat> seat(MachineId machine) {
        return members.seat(machine);
    }

    /** IDs of the voters. */
    public Set<MemberId> voterIds() {
        return members.ids();
    }

    /** The place of the entry that comes next. */
    public Entry.Place next() {
        return new Entry.Place(seed.uid(), tail.slot() + 1, tail.hash());
    }

    /**
     * The state after an object at the next slot.
     *
     * @param hash  SHA-256 of its bytes, hexadecimal
     * @param entry that it is; empty if it is none, so that what anybody writes cannot stop the log
     */
    public Charter after(String hash, Optional<Entry> entry) {
        Charter moved = at(new Known(tail.slot() + 1, hash));
        return entry.filter(it -> objection(it).isEmpty())
                .map(it -> moved.with(it))
                .orElse(moved);
    }

    /** Why an entry at the next slot is void; empty if it is valid. */
    public Optional<String> objection(Entry entry) {
        if (!entry.place().equals(next())) {
            return Optional.of("it belongs to slot %d of log %s"
                    .formatted(entry.place().slot(), entry.place().uid()));
        }
        return switch (entry.body()) {
            case Form form -> objection(form, entry.author());
            case Ready ready -> objection(ready, entry.author());
            case Abandon abandon -> objection(abandon);
            case Change opened -> objection(opened, entry.author());
            case Done done -> members.objection(done);
            case Observed observed -> members.objection(observed);
            case Pause _ -> paused();
            case Resume resume -> objection(resume, entry.author());
        };
    }

    private Optional<String> objection(Form form, Entry.Author author) {
        if (phase != Phase.NONE) {
            return Optional.of("generation %d is there".formatted(generation()));
        }
        if (pause.isPresent()) {
            return paused();
        }
        if (form.generation() != generation() + 1) {
            return Optional.of("generation %d follows".formatted(generation() + 1));
        }
        boolean own = author.is(form.founder()) && form.seat().on(form.founder());
        return unless(own, "a founder writes for itself");
    }

    private Optional<String> objection(Ready ready, Entry.Author author) {
        if (phase != Phase.FORMING || ready.generation() != generation()) {
            return Optional.of("generation %d is not forming".formatted(ready.generation()));
        }
        if (!author.machine().equals(founder())) {
            return Optional.of("the founder alone writes it");
        }
        if (change().isPresent()) {
            return Optional.of(
                    "the change of slot %d is open".formatted(change().get().slot()));
        }
        return unless(
                voters().size() >= seed.spec().formWith(),
                "%d voters of %d".formatted(voters().size(), seed.spec().formWith()));
    }

    private Optional<String> paused() {
        return pause.map(open -> "slot %d pauses".formatted(open.slot()));
    }

    private Optional<String> objection(Abandon abandon) {
        return paused().or(() -> unless(
                phase == Phase.FORMING && abandon.generation() == generation(),
                "generation %d is not forming".formatted(abandon.generation())));
    }

    private Optional<String> objection(Change opened, Entry.Author author) {
        if (phase == Phase.NONE || opened.generation() != generation()) {
            return Optional.of("generation %d is not there".formatted(opened.generation()));
        }
        return paused().or(() -> members.objection(opened, author));
    }

    /** A daemon ends a pause when its time is over; only a person ends a hold. */
    private Optional<String> objection(Resume resume, Entry.Author author) {
        boolean hold = members.held().filter(slot -> slot == resume.pause()).isPresent();
        if (hold) {
            return unless(author.machine().isEmpty(), "only a person ends a hold");
        }
        return unless(
                pause.filter(open -> open.slot() == resume.pause()).isPresent(),
                "slot %d is not an open pause".formatted(resume.pause()));
    }

    private static Optional<String> unless(boolean right, String objection) {
        return right ? Optional.empty() : Optional.of(objection);
    }

    private Charter with(Entry entry) {
        long slot = entry.place().slot();
        return switch (entry.body()) {
            case Form form ->
                new Charter(
                        seed,
                        tail,
                        Phase.FORMING,
                        Optional.of(form),
                        Membership.founded(form.seat()),
                        pause);
            case Ready _ -> in(Phase.OPEN);
            case Abandon _ -> in(Phase.NONE).with(Membership.NONE);
            case Change opened -> with(members.begins(slot, opened));
            case Done done -> with(members.ends(done, entry.author().at()));
            case Observed observed -> with(members.observed(slot, observed));
            case Pause begun -> paused(Optional.of(new Open<>(slot, begun)));
            case Resume resume -> resumed(resume, entry.author());
        };
    }

    /** A person who resumes has seen what was removed. */
    private Charter resumed(Resume resume, Entry.Author author) {
        boolean hold = members.held().filter(slot -> slot == resume.pause()).isPresent();
        Charter paced = author.machine().isPresent() ? this : with(members.paced());
        return hold ? paced.with(paced.members.released()) : paced.paused(Optional.empty());
    }

    private Charter at(Known newest) {
        return new Charter(seed, newest, phase, formed, members, pause);
    }

    private Charter in(Phase next) {
        return new Charter(seed, tail, next, formed, members, pause);
    }

    private Charter with(Membership now) {
        return new Charter(seed, tail, phase, formed, now, pause);
    }

    private Charter paused(Optional<Open<Pause>> open) {
        return new Charter(seed, tail, phase, formed, members, open);
    }
}
