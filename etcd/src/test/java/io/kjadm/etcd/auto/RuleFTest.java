package io.kjadm.etcd.auto;

import static io.kjadm.etcd.auto.WrittenLog.A;
import static io.kjadm.etcd.auto.WrittenLog.B;
import static io.kjadm.etcd.auto.WrittenLog.C;
import static io.kjadm.etcd.auto.WrittenLog.D;
import static io.kjadm.etcd.auto.WrittenLog.added;
import static io.kjadm.etcd.auto.WrittenLog.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.Charter.Open;
import io.kjadm.etcd.auto.EntryBody.Change;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.RuleF.Voter;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** When a cluster can never have a quorum again. */
class RuleFTest {

    private static final long SEEDS = 2_000;

    private static final List<MachineId> MACHINES = Stream.of(1, 2, 3, 4, 5, 6)
            .map("m-%016x"::formatted)
            .map(MachineId::new)
            .toList();

    private static Predicate<Voter> out(MachineId... machines) {
        return voter -> Stream.of(machines)
                .anyMatch(machine ->
                        voter.member().filter(member(machine)::equals).isPresent()
                                || voter.machine().filter(machine::equals).isPresent());
    }

    private static RuleF rule(Optional<Change> change, MachineId... voters) {
        return RuleF.of(members(List.of(voters), change, Set.of()), List.of());
    }

    private static Membership members(
            List<MachineId> voters, Optional<Change> change, Set<MemberId> withdrawn) {
        return new Membership(
                voters.stream().map(WrittenLog::seat).toList(),
                change.map(body -> new Open<>(1, body)),
                Optional.empty(),
                List.of(),
                withdrawn);
    }

    @Test
    void twoOfThreeHaveToBeOut() {
        RuleF rule = rule(Optional.empty(), A, B, C);
        assertFalse(rule.holds(out()));
        assertFalse(rule.holds(out(A)));
        assertTrue(rule.holds(out(A, B)));
        assertEquals(2, rule.missing(out(A)).size());
        assertEquals(Set.of(), rule.missing(out(A, B)));
    }

    @Test
    void twoOfFourHaveToBeOut() {
        RuleF rule = rule(Optional.empty(), A, B, C, D);
        assertFalse(rule.holds(out(A)));
        assertTrue(rule.holds(out(A, B)));
    }

    /** With C and D out, A and B are no quorum of the new set, and are one of the old. */
    @Test
    void bothSetsOfAnOpenChangeCount() {
        Change adds = Change.add(1, added(D), ids(A, B, C));
        assertFalse(rule(Optional.of(adds), A, B, C).holds(out(C, D)));
        assertTrue(rule(Optional.of(adds), A, B, C).holds(out(B, C)));

        Change removes = Change.remove(1, A, member(C), ids(A, B, C));
        assertFalse(rule(Optional.of(removes), A, B, C).holds(out(C)));
        assertTrue(rule(Optional.of(removes), A, B, C).holds(out(B, C)));
    }

    /** Nobody told the log that D was added. */
    @Test
    void whatAStoppedMemberKnowsCounts() {
        Membership voters = members(List.of(A, B, C), Optional.empty(), Set.of());
        Fenced knows = new Fenced(1, member(C), Optional.empty(), ids(A, B, C, D), "");
        RuleF rule = RuleF.of(voters, List.of(knows));
        assertFalse(rule.holds(out(C)));
        assertTrue(rule.holds(out(B, C)));

        Fenced alone = new Fenced(1, member(C), Optional.empty(), ids(A), "");
        assertFalse(RuleF.of(voters, List.of(alone)).holds(out(B, C)));
    }

    /** A late call makes A, B and C the voters, of which A and B are a quorum. */
    @Test
    void aVoterWhoseRemovalWasWithdrawnMayHaveLeft() {
        List<MachineId> four = List.of(A, B, C, D);
        assertTrue(
                RuleF.of(members(four, Optional.empty(), Set.of()), List.of()).holds(out(C, D)));
        RuleF late = RuleF.of(members(four, Optional.empty(), ids(D)), List.of());
        assertFalse(late.holds(out(C, D)));
        assertTrue(late.holds(out(B, C, D)));
    }

    /** Plays all that those who are left could do: each subset, and each set that they may believe in. */
    @Test
    void noSubsetOfThoseLeftIsEverAQuorum() {
        int held = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Scene scene = new Scene(seed);
            boolean holds = scene.rule().holds(scene.isOut());
            assertEquals(!scene.quorumIsLeft(), holds, "seed " + seed);
            held += holds ? 1 : 0;
        }
        assertTrue(held > SEEDS / 10 && held < SEEDS - SEEDS / 10, "it held " + held + " times");
    }

    /** The same notices a rule that looks at the voters of the log alone. */
    @Test
    void theVotersOfTheLogAloneAreNotEnough() {
        long missed = LongStream.rangeClosed(1, SEEDS)
                .mapToObj(Scene::new)
                .filter(scene -> RuleF.of(
                                members(scene.machines, Optional.empty(), Set.of()), List.of())
                        .holds(scene.isOut()))
                .filter(Scene::quorumIsLeft)
                .count();
        assertTrue(missed > 0, "no change makes a difference");
    }

    /** Some machines, an open change perhaps, and who is out. */
    private static final class Scene {
        private final List<MachineId> machines;
        private final Optional<Change> change;
        private final Set<MachineId> withdrawn;
        private final Set<MachineId> out;

        Scene(long seed) {
            Random random = new Random(seed);
            this.machines = MACHINES.subList(0, 1 + random.nextInt(MACHINES.size() - 1));
            this.change = change(random, machines);
            this.withdrawn = random.nextBoolean() || machines.size() < 3
                    ? Set.of()
                    : Set.of(machines.get(random.nextInt(machines.size())));
            this.out = MACHINES.stream()
                    .filter(_ -> random.nextInt(3) > 0)
                    .collect(Collectors.toSet());
        }

        RuleF rule() {
            return RuleF.of(
                    members(machines, change, ids(withdrawn.toArray(MachineId[]::new))), List.of());
        }

        Predicate<Voter> isOut() {
            return out(out.toArray(MachineId[]::new));
        }

        private Set<MachineId> afterLateCalls(Set<MachineId> belief) {
            return belief.stream()
                    .filter(machine -> !withdrawn.contains(machine))
                    .collect(Collectors.toSet());
        }

        boolean quorumIsLeft() {
            return Stream.concat(
                            beliefs(machines, change).stream(),
                            beliefs(machines, change).stream().map(this::afterLateCalls))
                    .filter(belief -> !belief.isEmpty())
                    .anyMatch(belief -> subsets(MACHINES).stream()
                            .filter(left -> left.stream().noneMatch(out::contains))
                            .anyMatch(left ->
                                    belief.stream().filter(left::contains).count()
                                            > belief.size() / 2));
        }
    }

    private static Optional<Change> change(Random random, List<MachineId> machines) {
        Set<MemberId> before =
                machines.stream().map(WrittenLog::member).collect(Collectors.toSet());
        return switch (random.nextInt(3)) {
            case 0 -> Optional.of(Change.add(1, added(MACHINES.getLast()), before));
            case 1 ->
                machines.size() < 2
                        ? Optional.empty()
                        : Optional.of(Change.remove(
                                1, machines.getFirst(), member(machines.getLast()), before));
            default -> Optional.empty();
        };
    }

    /** Machines that a member may take for the voters. */
    private static List<Set<MachineId>> beliefs(List<MachineId> machines, Optional<Change> change) {
        List<Set<MachineId>> beliefs = new ArrayList<>();
        beliefs.add(Set.copyOf(machines));
        change.flatMap(Change::added).ifPresent(_ -> {
            List<MachineId> more = new ArrayList<>(machines);
            more.add(MACHINES.getLast());
            beliefs.add(Set.copyOf(more));
        });
        change.flatMap(Change::removed)
                .ifPresent(_ -> beliefs.add(Set.copyOf(machines.subList(0, machines.size() - 1))));
        return beliefs;
    }

    private static List<Set<MachineId>> subsets(List<MachineId> of) {
        List<Set<MachineId>> subsets = new ArrayList<>();
        for (int bits = 0; bits < 1 << of.size(); bits++) {
            int chosen = bits;
            subsets.add(of.stream()
                    .filter(machine -> (chosen >> of.indexOf(machine) & 1) == 1)
                    .collect(Collectors.toSet()));
        }
        return subsets;
    }

    private static Set<MemberId> ids(MachineId... machines) {
        return Stream.of(machines).map(WrittenLog::member).collect(Collectors.toSet());
    }
}
