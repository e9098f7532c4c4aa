package io.kjadm.etcd.auto;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.EntryBody.Abandon;
import io.kjadm.etcd.auto.EntryBody.Adopt;
import io.kjadm.etcd.auto.EntryBody.Beginning;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Claim;
import io.kjadm.etcd.auto.EntryBody.Done;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.auto.EntryBody.Observed;
import io.kjadm.etcd.auto.EntryBody.Pause;
import io.kjadm.etcd.auto.EntryBody.Ready;
import io.kjadm.etcd.auto.EntryBody.Restore;
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
 * @param began  the newest generation, also one that was abandoned; empty before the first
 * @param members of it; none if it was abandoned
 * @param pause  the pause that is open
 * @param ending what an operator has ordered for a generation without a quorum, until the next one is
 *               open
 */
public record Charter(
        Seed seed,
        Known tail,
        Phase phase,
        Optional<Beginning> began,
        Membership members,
        Optional<Open<Pause>> pause,
        Optional<Ending> ending) {

    /**
     * What the cluster file says.
     *
     * @param uid    of the log
     * @param spec   the cluster that is wanted, as an operator said last
     * @param adopts ID of the cluster that is the first generation, as others have set it up; empty if
     *               the machines found one
     */
    public record Seed(String uid, ClusterSpec spec, Optional<String> adopts) {}

    /** How far a cluster is. */
    public enum Phase {
        /** No machine has founded it, or all who did were abandoned. */
        NONE,
        /** A machine founds it; no client uses it. */
        FORMING,
        /** Clients may use it. Only an operator's word ends it. */
        OPEN,
        /** An operator has said that its quorum is lost for good: its members are stopped. */
        ENDING,
        /** The automatic mode has ended. */
        RETIRED
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
        Objects.requireNonNull(began, "began");
        Objects.requireNonNull(members, "members");
        Objects.requireNonNull(pause, "pause");
        Objects.requireNonNull(ending, "ending");
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
                Optional.empty(),
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
        return began.map(Beginning::generation).orElse(0);
    }

    /** The generation whose members may run, or are stopped as it ends. */
    public Optional<Beginning> current() {
        return switch (phase) {
            case NONE -> Optional.empty();
            case ENDING -> ending.map(Ending::began);
            default -> began;
        };
    }

    /** How that generation was founded; empty if it was adopted, or there is none. */
    public Optional<Form> form() {
        return current().filter(Form.class::isInstance).map(Form.class::cast);
    }

    /** The founder of that generation; empty if it was adopted, or there is none. */
    public Optional<MachineId> founder() {
        return form().map(Form::founder);
    }

    /** ID of the cluster that is forming or open, or ends. */
    public Optional<String> cluster() {
        return current().map(Beginning::cluster);
    }

    /** Whether the members of the generation may run. */
    public boolean runs() {
        return phase == Phase.FORMING || phase == Phase.OPEN;
    }

    /** The voter on a machine. */
    public Optional<Seat> seat(MachineId machine) {
        return members.seat(machine);
    }

    /** IDs of the voters. */
    public Set<MemberId> voterIds() {
        return members.ids();
    }

    /** Whether there are more voters than an operator wants. */
    public boolean hasSurplus() {
        return phase == Phase.OPEN && voters().size() > seed.spec().nodes();
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
        if (phase == Phase.RETIRED) {
            return Optional.of("the automatic mode has ended");
        }
        return switch (entry.body()) {
            case Form form -> objection(form, entry.author());
            case Adopt adopt -> objection(adopt);
            case Claim claim -> objection(claim, entry.author());
            case Ready ready -> objection(ready, entry.author());
            case Abandon abandon -> objection(abandon);
            case Change opened -> objection(opened, entry.author());
            case Done done -> members.objection(done);
            case Observed observed ->
                runs() ? members.objection(observed) : Optional.of("no generation is there");
            case Pause _ -> paused();
            case Resume resume -> objection(resume, entry.author());
            case Restore restore -> objection(restore);
            case Fenced fenced ->
                ending.filter(_ -> phase == Phase.ENDING)
                        .map(end -> end.objection(fenced, entry.author()))
                        .orElse(Optional.of("no generation ends"));
            case EntryBody.Retire _ ->
                // its members are stopped, and those of the next one may have begun
                ending.map(end -> "generation %d ends, and the next one is not open"
                        .formatted(end.began().generation()));
            case EntryBody.Spec _ -> Optional.empty();
        };
    }

    private Optional<String> objection(Form form, Entry.Author author) {
        if (phase != Phase.NONE && phase != Phase.ENDING) {
            return Optional.of("generation %d is there".formatted(generation()));
        }
        if (pause.isPresent()) {
            return paused();
        }
        if (form.generation() != generation() + 1) {
            return Optional.of("generation %d follows".formatted(generation() + 1));
        }
        if (adopting()) {
            return Optional.of("a cluster that others have set up is the first generation");
        }
        boolean own = author.is(form.founder()) && form.seat().on(form.founder());
        return own
                ? ending.flatMap(end -> end.objection(form.founder()))
                : Optional.of("a founder writes for itself");
    }

    /** Whether the cluster that others have set up is not in the log yet. */
    public boolean adopting() {
        return seed.adopts().isPresent() && generation() == 0;
    }

    private Optional<String> objection(Adopt adopt) {
        if (!adopting() || !seed.adopts().equals(Optional.of(adopt.cluster()))) {
            return Optional.of("it is not the cluster that is adopted");
        }
        return paused().or(() -> unless(
                Membership.adopted(adopt).isWhole(), "its voters are not those of a cluster"));
    }

    private Optional<String> objection(Claim claim, Entry.Author author) {
        if (!runs() || claim.generation() != generation()) {
            return Optional.of("generation %d is not there".formatted(claim.generation()));
        }
        return paused().or(() -> members.objection(claim, author));
    }

    /** A later word on the same generation replaces it, also while the next one is forming. */
    private Optional<String> objection(Restore restore) {
        boolean takesBack = restore.source().kind() == EntryBody.Source.Kind.NONE;
        if (ending.isPresent()) {
            Ending end = ending.get();
            return takesBack && end.began().generation() != generation()
                    ? Optional.of("generation %d was founded".formatted(generation()))
                    : end.objection(restore);
        }
        if (phase != Phase.OPEN || restore.generation() != generation() || takesBack) {
            return Optional.of("generation %d is not open".formatted(restore.generation()));
        }
        return Ending.of(restore, began.orElseThrow(), members).objection(restore);
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
        if (!runs() || opened.generation() != generation()) {
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
                        pause,
                        ending);
            case Adopt adopt ->
                new Charter(
                        seed,
                        tail,
                        Phase.OPEN,
                        Optional.of(adopt),
                        Membership.adopted(adopt),
                        pause,
                        ending);
            case Claim claim ->
                with(members.claimed(claim.member(), entry.author().machine().orElseThrow()));
            case Ready _ -> in(Phase.OPEN).ending(Optional.empty());
            case Abandon _ ->
                ending.map(this::ends).orElseGet(() -> in(Phase.NONE).with(Membership.NONE));
            case Change opened -> with(members.begins(slot, opened));
            case Done done ->
                with(members.ends(done, entry.author().at(), seed.spec().nodes()));
            case Observed observed -> with(members.observed(slot, observed));
            case Pause begun -> paused(Optional.of(new Open<>(slot, begun)));
            case Resume resume -> resumed(resume, entry.author());
            case Restore restore -> restored(restore);
            case Fenced fenced ->
                ending(ending.map(end -> end.with(entry.author().machine().orElseThrow(), fenced)));
            case EntryBody.Retire _ -> in(Phase.RETIRED);
            case EntryBody.Spec wanted ->
                new Charter(
                        new Seed(seed.uid(), wanted.spec(), seed.adopts()),
                        tail,
                        phase,
                        began,
                        members,
                        pause,
                        ending);
        };
    }

    private Charter restored(Restore restore) {
        if (restore.source().kind() == EntryBody.Source.Kind.NONE) {
            return in(Phase.OPEN).with(ending.orElseThrow().members()).ending(Optional.empty());
        }
        return ends(ending.map(end -> end.with(restore))
                .orElseGet(() -> Ending.of(restore, began.orElseThrow(), members)));
    }

    private Charter ends(Ending end) {
        return in(Phase.ENDING).with(end.members().stopped()).ending(Optional.of(end));
    }

    private Charter ending(Optional<Ending> end) {
        return new Charter(seed, tail, phase, began, members, pause, end);
    }

    /** A person who resumes has seen what was removed. */
    private Charter resumed(Resume resume, Entry.Author author) {
        boolean hold = members.held().filter(slot -> slot == resume.pause()).isPresent();
        Charter paced = author.machine().isPresent() ? this : with(members.paced());
        return hold ? paced.with(paced.members.released()) : paced.paused(Optional.empty());
    }

    private Charter at(Known newest) {
        return new Charter(seed, newest, phase, began, members, pause, ending);
    }

    private Charter in(Phase next) {
        return new Charter(seed, tail, next, began, members, pause, ending);
    }

    private Charter with(Membership now) {
        return new Charter(seed, tail, phase, began, now, pause, ending);
    }

    private Charter paused(Optional<Open<Pause>> open) {
        return new Charter(seed, tail, phase, began, members, open, ending);
    }
}
