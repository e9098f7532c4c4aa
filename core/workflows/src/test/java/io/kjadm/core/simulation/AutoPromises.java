package io.kjadm.core.simulation;

import io.kjadm.core.auto.AutoLoop.Turn;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision;
import io.kjadm.etcd.auto.Ending;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.Rule;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.WaitCode;
import io.kjadm.etcd.model.Violation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What was promised of the automatic mode: checked each second, after each turn of a machine, and
 * when its commands begin.
 */
final class AutoPromises {

    /** A machine that has acted reports each minute. */
    private static final long AT_ONCE = 60_000;

    private final AutoSimulation stage;
    /** Clusters that clients were let into. */
    private final Set<String> everOpen = new HashSet<>();
    /** The cluster that each generation began with. */
    private final Map<Integer, String> founded = new HashMap<>();
    /** Members that were stopped for good. */
    private final Set<MemberId> stopped = new HashSet<>();

    AutoPromises(AutoSimulation stage) {
        this.stage = stage;
    }

    Set<String> everOpen() {
        return everOpen;
    }

    /** A machine must not run that member any more. */
    void stopped(MemberId member) {
        stopped.add(member);
    }

    /** What was stopped for a restore that is taken back. */
    void startsAgain() {
        stopped.clear();
    }

    /** Members of two generations that clients have used never could agree at one time. */
    void second() {
        List<Integer> agree = new ArrayList<>();
        // a log that was cut may end with a generation that was abandoned
        Charter told = stage.schedule.tampers() ? stage.longest : stage.now;
        for (AutoGeneration generation : stage.generations.values()) {
            String cluster = generation.began.cluster();
            boolean used = everOpen.contains(cluster)
                    || told.cluster().filter(cluster::equals).isPresent();
            if (used && generation.model.couldAgree()) {
                agree.add(generation.began.generation());
            }
        }
        if (agree.size() > 1) {
            throw new Violation("members of generations %s have a quorum each".formatted(agree));
        }
        for (AutoMachine machine : stage.machines) {
            boolean runs = machine.host.up
                    && machine.host.data.filter(stopped::contains).isPresent();
            if (runs) {
                throw new Violation("machine %d runs a member that it has stopped for good"
                        .formatted(machine.host.number));
            }
            if (machine.host.up
                    && machine.foreign.isPresent()
                    && machine.foreign.equals(machine.host.data)) {
                throw new Violation("machine %d runs the data of another machine"
                        .formatted(machine.host.number));
            }
            boolean older = machine.host.up
                    && machine.former.isPresent()
                    && machine.former.equals(machine.host.data);
            if (older) {
                throw new Violation("machine %d runs data that are older than they were"
                        .formatted(machine.host.number));
            }
        }
    }

    /** What it has written is in the next generation, as far as the survivor had it. */
    private void checkKept(AutoGeneration next, long index) {
        stage.longest
                .ending()
                .filter(_ -> stage.longest.generation() == next.began.generation())
                .ifPresent(end -> {
                    long most = end.fenced().values().stream()
                            .flatMap(one -> one.progress().stream())
                            .mapToLong(EntryBody.Progress::applied)
                            .max()
                            .orElse(0);
                    boolean survivor = end.order().founder().isPresent();
                    boolean nobodyLost = end.order().lost().isEmpty();
                    long owed = nobodyLost
                            ? stage.generations.get(end.began().cluster()).model.acknowledged()
                            : most;
                    if (survivor && !end.order().acceptLoss() && index < owed) {
                        throw new Violation("generation %d begins with index %d, and %d was there"
                                .formatted(next.began.generation(), index, owed));
                    }
                });
    }

    /** What needs an operator's key is done only if one of them has said it. */
    void said(Charter charter) {
        List<EntryBody> words = new ArrayList<>();
        if (charter.phase() == Phase.RETIRED) {
            words.add(new EntryBody.Retire(""));
        }
        charter.ending().map(Ending::order).ifPresent(words::add);
        if (charter.seed().spec().nodes() != stage.schedule.nodes()) {
            words.add(new EntryBody.Spec(charter.seed().spec()));
        }
        for (EntryBody word : words) {
            if (!stage.operator.hasSaid(word)) {
                throw new Violation("no operator has said " + word);
            }
        }
    }

    void opened(Charter charter) {
        if (charter.phase() == Phase.OPEN) {
            everOpen.add(charter.cluster().orElseThrow());
        }
        if (everOpen.size() > 1 + stage.ended.size()) {
            throw new Violation("clients were let into two clusters: " + everOpen);
        }
    }

    /**
     * After each turn of a machine.
     *
     * @param begun when it has begun: what stands still meanwhile cannot know that its copy acts
     */
    void seen(AutoMachine machine, Turn turn, long begun) {
        machine.decided(turn);
        opened(turn.facts().charter());
        boolean begins = switch (turn.outcome().decision()) {
            case Decision.Act _ ->
                turn.outcome().rule() != Rule.FOUND && turn.outcome().rule() != Rule.CONTINUE;
            case Decision.Append(var body, String _, String _) ->
                !(body instanceof EntryBody.Done)
                        && !(body instanceof EntryBody.Resume)
                        && !(body instanceof EntryBody.Observed);
            default -> false;
        };
        boolean acts = turn.outcome().decision() instanceof Decision.Append
                || turn.outcome().decision() instanceof Decision.Act;
        if (acts && turn.facts().charter().phase() == Phase.RETIRED) {
            throw new Violation("machine %d acts after the automatic mode has ended: %s"
                    .formatted(machine.host.number, turn.outcome().decision()));
        }
        if (begins && turn.facts().charter().pause().isPresent()) {
            throw new Violation("machine %d begins something in a pause: %s"
                    .formatted(machine.host.number, turn.outcome().decision()));
        }
        if (turn.outcome().decision() instanceof Decision.Append(var body, String _, String _)
                && body instanceof EntryBody.Change change
                && turn.facts().charter().phase() == Phase.OPEN) {
            change.removed()
                    .filter(id -> begun - machine.savedAt > 3_600_000 && !lost(turn.facts(), id))
                    .ifPresent(id -> {
                        throw new Violation("machine %d removes a voter without a snapshot: %s"
                                .formatted(machine.host.number, id));
                    });
        }
        boolean changes = turn.outcome().decision() instanceof Decision.Append
                || turn.outcome().decision() instanceof Decision.Act(var step, String _)
                        // these change this machine alone
                        && !(step instanceof Step.Start || step instanceof Step.Clients);
        boolean two = changes
                && stage.machines.stream()
                        .anyMatch(other -> other != machine
                                && other.id().equals(machine.id())
                                && other.actedWithin(AT_ONCE, begun));
        if (two) {
            throw new Violation("a machine and its copy act: " + turn.outcome().decision());
        }
        machine.actedAt = changes ? begun : machine.actedAt;
        boolean blind = !(turn.facts().store() instanceof StoreView.Answers)
                && turn.outcome().decision() instanceof Decision.Append;
        if (blind) {
            throw new Violation("machine %d writes without the log: %s"
                    .formatted(machine.host.number, turn.outcome().decision()));
        }
    }

    /** By the report of its machine. */
    private static boolean lost(AutoFacts facts, MemberId voter) {
        return facts.charter().voters().stream()
                .filter(seat -> seat.id().equals(voter))
                .flatMap(seat -> seat.machine().stream())
                .findFirst()
                .map(facts.machines()::get)
                .flatMap(seen -> seen.report().doing().code())
                .filter(WaitCode.LOST::equals)
                .isPresent();
    }

    /** Before each command of a machine. */
    void begins(AutoMachine machine, Step step) {
        boolean ofFounder = step instanceof Step.Init;
        if (ofFounder) {
            Charter read = machine.read().orElseThrow();
            if (!read.founder().equals(machine.id())) {
                throw new Violation("machine %d founds a cluster that the log gives to another"
                        .formatted(machine.host.number));
            }
        }
    }

    void letsClientsIn(AutoMachine machine, Charter charter) {
        if (stage.schedule.tampers()) {
            // by a log that others do not have
            opened(charter);
        }
        if (!everOpen.contains(charter.cluster().orElseThrow())) {
            throw new Violation("machine %d lets clients into a cluster that is not ready"
                    .formatted(machine.host.number));
        }
    }

    /** A machine begins a generation with data up to an index. */
    void founds(AutoGeneration generation, long index) {
        checkKept(generation, index);
        String other =
                founded.putIfAbsent(generation.began.generation(), generation.began.cluster());
        // where the log was cut two may be founded, and clients are let into one of them
        boolean twice = other != null && !other.equals(generation.began.cluster());
        if (twice && !stage.schedule.tampers()) {
            throw new Violation(
                    "generation %d is founded twice".formatted(generation.began.generation()));
        }
    }
}
