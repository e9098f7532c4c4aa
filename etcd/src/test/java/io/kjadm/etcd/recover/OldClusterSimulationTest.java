package io.kjadm.etcd.recover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.Quorum;
import io.kjadm.etcd.recover.ClusterLook.Asked;
import io.kjadm.etcd.recover.ClusterLook.Rule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Restores and recoveries on three to five machines whose power is cut, whose disks are mounted late
 * or lost, between which port 2379 and port 2380 are closed apart from each other, by an operator
 * who makes mistakes. Two clusters of one never serve at the same time, unless a voter was given up
 * by name that had its data and that this node had no way to see.
 */
class OldClusterSimulationTest {

    private static final int SEEDS = 4_000;
    /** A missing rule breaks few runs. */
    private static final int SEARCHED = 60_000;

    private static final int STEPS = 40;

    /** A rule that is switched off. */
    private enum Missing {
        NONE,
        A_PEER_PORT_THAT_LISTENS_IS_ALIVE,
        EVERY_VOTER_IS_NAMED,
        A_RESUMED_RUN_LOOKS_AGAIN,
        A_LOOK_DIRECTLY_BEFORE_THE_START
    }

    private static final class Machine {
        final int number;
        boolean powered = true;
        /** Whether etcd starts when the machine boots. */
        boolean enabled = true;

        boolean running = true;
        /** Whether the old data are on its disk. */
        boolean data = true;

        boolean mounted = true;
        /** Whether it serves a new cluster, or will after a boot. */
        boolean renewed;
        /** How far a restore on it has come; the names that it was given. */
        Stage stage = Stage.NONE;

        Set<Integer> named = Set.of();
        Rule rule = Rule.EVERY_OTHER;

        Machine(int number) {
            this.number = number;
        }

        boolean runsOld() {
            return powered && running && data && mounted && !renewed;
        }

        boolean serves() {
            return powered && running && renewed;
        }
    }

    private enum Stage {
        NONE,
        LOOKED,
        STOPPED,
        MADE
    }

    private static final class World {
        final Random random;
        final Missing missing;
        final List<Machine> machines = new ArrayList<>();
        final Set<Set<Integer>> closedClients = new HashSet<>();
        final Set<Set<Integer>> closedPeers = new HashSet<>();
        boolean excused;
        int begun;

        World(long seed, Missing missing) {
            this.random = new Random(seed);
            this.missing = missing;
            int count = 3 + random.nextInt(3);
            IntStream.rangeClosed(1, count).mapToObj(Machine::new).forEach(machines::add);
        }

        private Machine any() {
            return machines.get(random.nextInt(machines.size()));
        }

        private Quorum quorum() {
            return new Quorum(machines.size());
        }

        private static boolean open(Set<Set<Integer>> closed, Machine one, Machine other) {
            return one == other || !closed.contains(Set.of(one.number, other.number));
        }

        /** Those that run the old data and reach that one by their peer ports. */
        private Set<Machine> peersOf(Machine one) {
            Set<Machine> seen = new HashSet<>();
            if (!one.runsOld()) {
                return seen;
            }
            Deque<Machine> next = new ArrayDeque<>(List.of(one));
            while (!next.isEmpty()) {
                Machine at = next.poll();
                if (seen.add(at)) {
                    machines.stream()
                            .filter(Machine::runsOld)
                            .filter(other -> open(closedPeers, at, other))
                            .forEach(next::add);
                }
            }
            return seen;
        }

        private boolean led(Machine one) {
            return peersOf(one).size() >= quorum().size();
        }

        /** How many clusters serve clients. */
        int serving() {
            int old = machines.stream().anyMatch(this::led) ? 1 : 0;
            return old + (int) machines.stream().filter(Machine::serves).count();
        }

        void step() {
            Machine one = any();
            switch (random.nextInt(12)) {
                case 0 -> {
                    one.powered = false;
                    one.running = false;
                }
                case 1, 2 -> boot(one);
                case 3 -> one.data &= random.nextInt(3) > 0 || one.renewed;
                case 4 -> toggle(closedClients);
                case 5 -> toggle(closedPeers);
                case 6 -> {
                    one.enabled = false;
                    one.running = false;
                }
                case 7 -> machines.forEach(this::boot);
                case 8 -> one.mounted = true;
                default -> operate(one);
            }
        }

        private void boot(Machine one) {
            if (!one.powered) {
                one.mounted = random.nextInt(4) > 0;
            }
            one.powered = true;
            // a node that is being restored has its manifest out of the way
            one.running |= one.enabled && one.stage != Stage.STOPPED && one.stage != Stage.MADE;
        }

        private void toggle(Set<Set<Integer>> closed) {
            Machine one = any();
            Machine other = any();
            if (one != other && !closed.remove(Set.of(one.number, other.number))) {
                closed.add(Set.of(one.number, other.number));
            }
        }

        /** The operator begins a restore on a machine, or resumes the one that was begun there. */
        private void operate(Machine one) {
            if (!one.powered || one.renewed) {
                return;
            }
            boolean first = one.stage == Stage.NONE;
            if (first) {
                one.rule = random.nextBoolean() ? Rule.EVERY_OTHER : Rule.A_QUORUM;
                one.named = missing == Missing.EVERY_VOTER_IS_NAMED ? Set.of() : names(one);
            }
            boolean looks = first || missing != Missing.A_RESUMED_RUN_LOOKS_AGAIN;
            if (looks && !ended(one)) {
                return;
            }
            switch (one.stage) {
                case NONE -> one.stage = Stage.LOOKED;
                case LOOKED -> {
                    one.stage = Stage.STOPPED;
                    one.running = false;
                }
                case STOPPED -> one.stage = Stage.MADE;
                case MADE -> {
                    boolean before = missing == Missing.A_LOOK_DIRECTLY_BEFORE_THE_START
                            || missing == Missing.A_RESUMED_RUN_LOOKS_AGAIN
                            || ended(one);
                    if (before) {
                        start(one);
                    }
                }
            }
        }

        private void start(Machine one) {
            excused |= machines.stream()
                    .filter(other -> one.named.contains(other.number))
                    .filter(other ->
                            other.data && (other.enabled || other.running) || other.renewed)
                    .anyMatch(other -> !visible(one, other));
            one.renewed = true;
            one.running = true;
            one.enabled = true;
            one.stage = Stage.NONE;
            begun++;
        }

        /** Whether this machine could see that the other runs. */
        private boolean visible(Machine one, Machine other) {
            return (other.runsOld() || other.serves())
                    && (open(closedClients, one, other) || open(closedPeers, one, other));
        }

        /** Those without data and those that are shut off; by mistake all. */
        private Set<Integer> names(Machine one) {
            boolean mistaken = random.nextInt(3) == 0;
            return machines.stream()
                    .filter(other -> other != one)
                    .filter(other -> !other.data || !other.enabled || mistaken)
                    .map(other -> other.number)
                    .collect(Collectors.toSet());
        }

        private boolean ended(Machine one) {
            boolean skipped =
                    one.stage == Stage.MADE && missing == Missing.A_LOOK_DIRECTLY_BEFORE_THE_START;
            return skipped
                    || OldClusterDecider.decide(new ClusterLook(
                                    true,
                                    machines.stream()
                                            .map(other -> ask(one, other))
                                            .toList(),
                                    given(one),
                                    one.rule))
                            instanceof OldCluster.Ended;
        }

        private Set<String> given(Machine one) {
            return machines.stream()
                    .filter(other -> missing == Missing.EVERY_VOTER_IS_NAMED
                            || one.named.contains(other.number))
                    .map(other -> EvidenceScene.name(other.number))
                    .collect(Collectors.toSet());
        }

        private Asked ask(Machine one, Machine other) {
            boolean runs = other.runsOld() || other.serves();
            boolean answers = runs && open(closedClients, one, other);
            boolean listens = runs && open(closedPeers, one, other);
            return new Asked(
                    EvidenceScene.member(other.number),
                    one == other,
                    answers ? Optional.of(status(other)) : Optional.empty(),
                    "",
                    listens && missing != Missing.A_PEER_PORT_THAT_LISTENS_IS_ALIVE);
        }

        private MemberStatus status(Machine of) {
            boolean knows = led(of) || of.serves();
            return new MemberStatus(
                    EvidenceScene.id(of.number),
                    EvidenceScene.CLUSTER,
                    knows ? EvidenceScene.id(of.number) : MemberId.NONE,
                    MemberStatus.Versions.of(EtcdVersion.parse("3.6.8")),
                    4096,
                    3,
                    100,
                    100,
                    false,
                    List.of());
        }
    }

    /** How runs end. */
    private record Outcome(List<Long> broken, int begun, int excused) {}

    private static Outcome play(Missing missing, int seeds) {
        List<Long> broken = new ArrayList<>();
        int begun = 0;
        int excused = 0;
        for (long seed = 1;
                seed <= seeds && (missing == Missing.NONE || broken.isEmpty());
                seed++) {
            World world = new World(seed, missing);
            for (int step = 0; step < STEPS && !world.excused; step++) {
                world.step();
                if (world.serving() > 1 && !world.excused) {
                    broken.add(seed);
                    break;
                }
            }
            begun += world.begun;
            excused += world.excused ? 1 : 0;
        }
        return new Outcome(broken, begun, excused);
    }

    @Test
    void twoClustersOfOneNeverServe() {
        Outcome outcome = play(Missing.NONE, SEEDS);

        assertEquals(List.of(), outcome.broken(), "seeds");
        assertTrue(outcome.begun() > 200, outcome::toString);
        assertTrue(outcome.excused() > 0, outcome::toString);
    }

    @ParameterizedTest
    @EnumSource(value = Missing.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void eachRuleIsNeeded(Missing missing) {
        assertTrue(!play(missing, SEARCHED).broken().isEmpty(), missing + " breaks nothing");
    }
}
