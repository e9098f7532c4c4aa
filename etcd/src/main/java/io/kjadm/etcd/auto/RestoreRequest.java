package io.kjadm.etcd.auto;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.ProblemReason;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Seen;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.EntryBody.Beginning;
import io.kjadm.etcd.auto.EntryBody.Restore;
import io.kjadm.etcd.auto.EntryBody.Snapshot;
import io.kjadm.etcd.auto.EntryBody.Source;
import io.kjadm.etcd.auto.EntryBody.Source.Kind;
import io.kjadm.etcd.auto.MachineReport.Sight;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What an operator asks for who gives a quorum up.
 *
 * @param kind            of the source
 * @param survivor        ID, host name or member's name of the machine whose data go on
 * @param snapshot        that is restored
 * @param lost            IDs or names of members that never run again
 * @param acceptLoss      whether the survivor counts although another machine holds newer data
 * @param althoughItServes whether a cluster that serves is given up
 */
public record RestoreRequest(
        Kind kind,
        Optional<String> survivor,
        Optional<Snapshot> snapshot,
        Set<String> lost,
        boolean acceptLoss,
        boolean althoughItServes,
        String reason) {

    /** A machine with a member writes a report each minute. */
    static final Duration RECENT = Duration.ofSeconds(90);

    public RestoreRequest {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(survivor, "survivor");
        Objects.requireNonNull(snapshot, "snapshot");
        lost = Set.copyOf(lost);
        Objects.requireNonNull(reason, "reason");
    }

    /** What comes of it. */
    public sealed interface Answer {

        /** It may be signed. */
        record Granted(Restore word) implements Answer {}

        /** It may not. */
        record Refused(Reason reason, String why, String next) implements Answer {}
    }

    /** Why it is refused. */
    public enum Reason implements ProblemReason {
        /** There is no cluster that clients have used. */
        NO_CLUSTER,
        /** The automatic mode is paused. */
        PAUSED,
        /** Nothing was approved, or the next generation has begun. */
        NOTHING_TO_TAKE_BACK,
        /** Members cannot be asked, as the CA is not known. */
        NOT_ASKED,
        /** A member answers, and has a leader. */
        SERVES,
        /** A machine has said a short time ago that the cluster serves. */
        REPORTED,
        /** A name or ID is no member's. */
        UNKNOWN_MEMBER,
        /** No voter is on that machine. */
        UNKNOWN_MACHINE,
        /** The survivor is said to be lost. */
        SURVIVOR_LOST;

        @Override
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * A voter, as the operator sees it.
     *
     * @param report age of its machine's report; empty if there is none
     * @param index  of raft's log, up to which it is known to have been
     * @param fate   what becomes of it
     */
    public record Row(
            Seat seat,
            Optional<MachineReport> machine,
            Optional<Duration> report,
            Optional<Long> index,
            String fate) {}

    /** Judges it by what is seen now. */
    public Answer judge(AutoFacts facts) {
        Charter charter = facts.charter();
        if (charter.ending().isEmpty() && charter.phase() != Phase.OPEN) {
            return new Answer.Refused(
                    Reason.NO_CLUSTER,
                    "no cluster of the log is open or ends",
                    "see 'kjadm etcd auto status'");
        }
        int generation = charter.ending()
                .map(Ending::began)
                .or(charter::began)
                .map(Beginning::generation)
                .orElseThrow();
        if (kind == Kind.NONE) {
            boolean begun = charter.generation() != generation;
            return charter.ending().isEmpty() || begun
                    ? new Answer.Refused(
                            Reason.NOTHING_TO_TAKE_BACK,
                            begun
                                    ? "generation %d was founded".formatted(charter.generation())
                                    : "no restore was approved",
                            "see 'kjadm etcd auto log'")
                    : granted(generation, Set.of(), Optional.empty());
        }
        if (charter.pause().isPresent()) {
            return new Answer.Refused(
                    Reason.PAUSED,
                    "slot %d pauses the automatic mode"
                            .formatted(charter.pause().get().slot()),
                    "run 'kjadm etcd auto resume' first");
        }
        return serving(facts)
                .filter(_ -> !althoughItServes)
                .<Answer>map(refusal -> refusal)
                .orElseGet(() -> named(members(charter).voters(), generation, charter));
    }

    /** Members of the generation that ends, if one does. */
    private static Membership members(Charter charter) {
        return charter.ending().map(Ending::members).orElse(charter.members());
    }

    private static Optional<Answer.Refused> serving(AutoFacts facts) {
        if (!facts.local().provided().ca()) {
            return Optional.of(
                    new Answer.Refused(
                            Reason.NOT_ASKED,
                            "the CA of the cluster is not available, so its members cannot be asked",
                            "make it available in the store; or make sure that no quorum serves, and add --although-it-serves"));
        }
        boolean led =
                facts.etcd() instanceof EtcdView.Answers(var health, String _) && health.isLed();
        if (led) {
            return Optional.of(
                    new Answer.Refused(
                            Reason.SERVES,
                            "a member answers, and has a leader",
                            "see 'kjadm etcd status'; to go back to earlier data on purpose, add --although-it-serves"));
        }
        return facts.machines().values().stream()
                .filter(seen -> seen.age().compareTo(RECENT) <= 0)
                .filter(seen -> seen.report().sight().filter(Sight::served).isPresent())
                .findFirst()
                .map(seen -> new Answer.Refused(
                        Reason.REPORTED,
                        "machine %s (%s) has reported %d s ago that the cluster serves"
                                .formatted(
                                        seen.report().id(),
                                        seen.report().member().hostname(),
                                        seen.age().toSeconds()),
                        "a quorum may serve that this machine does not reach; if it does not, run the command again in %d s"
                                .formatted(RECENT.toSeconds())));
    }

    private Answer named(List<Seat> voters, int generation, Charter charter) {
        Set<MemberId> ids =
                new HashSet<>(charter.ending().map(end -> end.order().lost()).orElse(Set.of()));
        for (String text : lost) {
            Optional<MemberId> id = voters.stream()
                    .filter(seat ->
                            seat.name().equals(text) || seat.id().toString().equals(text))
                    .findFirst()
                    .map(Seat::id);
            if (id.isEmpty()) {
                return new Answer.Refused(
                        Reason.UNKNOWN_MEMBER,
                        "\"%s\" is no voter of generation %d".formatted(text, generation),
                        "name the members as the table of 'kjadm etcd auto status' does");
            }
            ids.add(id.get());
        }
        if (kind == Kind.SNAPSHOT) {
            return granted(generation, ids, Optional.empty());
        }
        Optional<Seat> survives = voters.stream()
                .filter(seat -> seat.machine().isPresent())
                .filter(seat -> survivor.filter(text -> seat.name().equals(text)
                                || seat.id().toString().equals(text)
                                || seat.machine().get().text().equals(text))
                        .isPresent())
                .findFirst();
        if (survives.isEmpty()) {
            return new Answer.Refused(
                    Reason.UNKNOWN_MACHINE,
                    "\"%s\" is no machine with a voter of generation %d"
                            .formatted(survivor.orElse(""), generation),
                    "name the machine by its ID, or by the name or ID of its member");
        }
        return ids.contains(survives.get().id())
                ? new Answer.Refused(
                        Reason.SURVIVOR_LOST,
                        "member %s survives and is lost"
                                .formatted(survives.get().name()),
                        "name another survivor, or a snapshot")
                : granted(generation, ids, survives.get().machine());
    }

    private Answer granted(int generation, Set<MemberId> ids, Optional<MachineId> founder) {
        return new Answer.Granted(new Restore(
                generation, ids, founder, new Source(kind, snapshot), acceptLoss, reason));
    }

    /** Each voter, and what becomes of it. */
    public static List<Row> rows(AutoFacts facts, Restore word) {
        return members(facts.charter()).voters().stream()
                .map(seat -> row(facts, seat, word))
                .toList();
    }

    private static Row row(AutoFacts facts, Seat seat, Restore word) {
        Optional<Seen> seen = seat.machine().map(facts.machines()::get);
        boolean survives = seat.machine().isPresent() && seat.machine().equals(word.founder());
        String fate = word.source().kind() == Kind.NONE
                ? "goes on"
                : survives
                        ? "stops; its data go on"
                        : word.lost().contains(seat.id()) ? "lost for good" : "stops";
        return new Row(
                seat,
                seen.map(Seen::report),
                seen.map(Seen::age),
                seen.flatMap(it -> it.report().sight()).map(Sight::index),
                fate);
    }

    /** What the operator gives up, a sentence each. */
    public static List<String> consequences(AutoFacts facts, Restore word) {
        if (word.source().kind() == Kind.NONE) {
            return List.of(
                    "The cluster does not end: machines put their data back, and start etcd");
        }
        RuleF rule = RuleF.of(members(facts.charter()), List.of());
        Predicate<RuleF.Voter> out =
                voter -> voter.member().filter(word.lost()::contains).isPresent();
        return Stream.of(
                        Optional.of(
                                word.source()
                                        .snapshot()
                                        .map(it ->
                                                "The next cluster has the data of snapshot %s: revision %d. What was written after it is lost"
                                                        .formatted(it.name(), it.revision()))
                                        .orElse(
                                                "The next cluster has the data of the survivor. What it had not yet got from the others is lost")),
                        Optional.of(rule.missing(out))
                                .filter(missing -> !missing.isEmpty())
                                .map(
                                        _ ->
                                                "Machines that are not lost stop their members first; the next cluster begins when no quorum of the old one is possible"),
                        Optional.of(word.lost())
                                .filter(ids -> !ids.isEmpty())
                                .map(
                                        _ ->
                                                "A machine that is said to be lost must not come back with others of its kind where it cannot read the store: together they would be a second cluster"))
                .flatMap(Optional::stream)
                .toList();
    }
}
