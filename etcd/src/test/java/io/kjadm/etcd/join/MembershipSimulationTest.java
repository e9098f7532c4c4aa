package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.kjadm.etcd.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Plays many random schedules of joins, resets, crashes and faults with the production classes; see
 * {@link Simulation} for what is promised and {@link Mishap} for what goes wrong.
 *
 * <p>{@code mvn -pl etcd test -Dtest=MembershipSimulationTest -Dkjadm.simulation.schedules=1000000}
 * plays a million, {@code
 * -Dkjadm.simulation.first=N} begins at another seed. A failure prints its seed and the smallest
 * part of its schedule that still fails; {@code -Dkjadm.simulation.seed=N} plays that one alone.
 */
class MembershipSimulationTest {

    private static final long SCHEDULES = Long.getLong("kjadm.simulation.schedules", 20_000);
    private static final long FIRST = Long.getLong("kjadm.simulation.first", 1);
    /** Wrong deciders are noticed within so many schedules. */
    private static final long ENOUGH = 3_000;

    private static UnaryOperator<Function<JoinFacts, JoinDecision>> asItIs() {
        return decider -> decider;
    }

    @Test
    void everyScheduleKeepsEveryPromise() {
        Long one = Long.getLong("kjadm.simulation.seed");
        OptionalLong failing = one == null ? firstFailing(FIRST, SCHEDULES, asItIs())
                : Simulation.play(Schedule.of(one), asItIs()).isPresent()
                ? OptionalLong.of(one) : OptionalLong.empty();
        failing.ifPresent(seed -> fail(story(seed, asItIs())));
    }

    private static OptionalLong firstFailing(long first, long count,
            UnaryOperator<Function<JoinFacts, JoinDecision>> twist) {
        return LongStream.range(first, first + count).parallel()
                .filter(seed -> Simulation.play(Schedule.of(seed), twist).isPresent()).findFirst();
    }

    private static String story(long seed, UnaryOperator<Function<JoinFacts, JoinDecision>> twist) {
        Schedule smallest = smallest(Schedule.of(seed), twist);
        return "%s%nreplay with -Dkjadm.simulation.seed=%d; the smallest schedule that fails:%n  %s"
                .formatted(Simulation.play(smallest, twist).orElseThrow(), seed, smallest);
    }

    /** Leaves out what is not needed for the failure, until nothing more can be left out. */
    private static Schedule smallest(Schedule failing,
            UnaryOperator<Function<JoinFacts, JoinDecision>> twist) {
        Schedule smallest = failing;
        while (true) {
            Schedule last = smallest;
            Optional<Schedule> smaller = smallerOnes(last)
                    .filter(candidate -> Simulation.play(candidate, twist).isPresent()).findFirst();
            if (smaller.isEmpty()) {
                return last;
            }
            smallest = smaller.get();
        }
    }

    private static Stream<Schedule> smallerOnes(Schedule schedule) {
        List<Schedule> candidates = new ArrayList<>();
        if (schedule.joiners() > 1) {
            candidates.add(schedule.withFewerJoiners());
        }
        if (!schedule.leavers().isEmpty()) {
            candidates.add(schedule.withoutLeavers());
        }
        if (schedule.brokenJoiner() >= 0) {
            candidates.add(schedule.withoutBrokenJoiner());
        }
        if (schedule.ghost()) {
            candidates.add(schedule.withoutGhost());
        }
        for (int i = 0; i < schedule.mishaps().size(); i++) {
            List<Mishap> fewer = new ArrayList<>(schedule.mishaps());
            fewer.remove(i);
            candidates.add(schedule.with(fewer));
        }
        return candidates.stream();
    }

    @Test
    void aScheduleAlwaysPlaysTheSameWay() {
        for (long seed = 1; seed <= 200; seed++) {
            Schedule schedule = Schedule.of(seed);
            assertEquals(Simulation.play(schedule, asItIs()), Simulation.play(schedule, asItIs()));
            assertEquals(schedule, Schedule.of(seed));
        }
    }

    // ---- the simulation notices: each of these deciders breaks one rule

    private static void noticed(String violation,
            UnaryOperator<Function<JoinFacts, JoinDecision>> twist) {
        OptionalLong failing = LongStream.range(1, 1 + ENOUGH).parallel()
                .filter(seed -> Simulation.play(Schedule.of(seed), twist)
                        .filter(story -> story.contains(violation)).isPresent()).findAny();
        assertTrue(failing.isPresent(), "nobody noticed that " + violation);
        String told = story(failing.getAsLong(), twist);
        assertTrue(told.contains("-Dkjadm.simulation.seed=" + failing.getAsLong()), told);
    }

    private static UnaryOperator<Function<JoinFacts, JoinDecision>> instead(
            BiFunction<JoinFacts, JoinDecision, JoinDecision> change) {
        return decider -> facts -> change.apply(facts, decider.apply(facts));
    }

    @Test
    void promotingALearnerThatIsBehindIsNoticed() {
        noticed("a quorum is made to depend on", instead((facts, decision) -> {
            boolean following = decision instanceof JoinDecision.Wait wait
                    && wait.reason() == WaitReason.CATCHING_UP
                    && wait.progress().filter(progress -> progress.percent() >= 90).isPresent();
            return following
                    ? own(facts).<JoinDecision>map(own ->
                            new JoinDecision.Promote(facts.journal().orElseThrow()
                    .member(own.id(), JoinState.PROMOTING, 0, facts.now()), own, ""))
                    .orElse(decision) : decision;
        }));
    }

    @Test
    void promotingWhileAVoterIsDownIsNoticed() {
        noticed("a learner is promoted while a voter is down", instead((facts, decision) ->
                decision instanceof JoinDecision.Wait wait
                        && wait.reason() == WaitReason.VOTER_AILING
                        ? own(facts).<JoinDecision>map(own ->
                                new JoinDecision.Promote(facts.journal().orElseThrow()
                                .member(own.id(), JoinState.PROMOTING, 0, facts.now()), own, ""))
                                .orElse(decision)
                        : decision));
    }

    @Test
    void removingTheLearnersOfOthersIsNoticed() {
        noticed("somebody else's member is removed", instead((facts, decision) ->
                decision instanceof JoinDecision.Wait wait
                        && wait.reason() == WaitReason.TOO_MANY_LEARNERS
                        && facts.view() instanceof ClusterView.Seen(var health)
                        && !health.learners().isEmpty()
                        ? new JoinDecision.MakeWay(health.learners().getFirst(), "it is in the way")
                        : decision));
    }

    @Test
    void sendingAnAddAgainBlindlyIsNoticed() {
        noticed("an add is sent while an earlier one may still come", instead((facts, decision) ->
                decision instanceof JoinDecision.Wait wait
                        && wait.reason() == WaitReason.UNCONFIRMED
                        && facts.journal().filter(entry -> entry.state() == JoinState.ADDING)
                                .isPresent()
                        && !facts.withdrawing()
                                ? new JoinDecision.Add(facts.journal().orElseThrow()) : decision));
    }

    @Test
    void takingBackWithoutWaitingForAPromotionIsNoticed() {
        noticed("a removal is sent while a promotion may still come", instead((facts, decision) ->
                decision instanceof JoinDecision.Wait wait && facts.withdrawing()
                        && wait.detail().contains("a promotion that was sent")
                        ? own(facts).<JoinDecision>map(own ->
                                new JoinDecision.TakeBack(facts.journal().orElseThrow(), own))
                                        .orElse(decision)
                        : decision));
    }

    @Test
    void notTakingBackIsNoticed() {
        noticed("the failed join of machine",
                instead((facts, decision) -> decision instanceof JoinDecision.TakeBack
                ? new JoinDecision.Withdrawn(new Withdrawal.NothingListed(), Optional.empty())
                : decision));
    }

    @Test
    void startingAVoterThatLostItsDataIsNoticed() {
        noticed("a voter that lost its data is started", instead((facts, decision) ->
                decision instanceof JoinDecision.MakeWay(var member, String why) && member.voter()
                        ? new JoinDecision.WriteManifest(
                                JoinEntry.prepared(new NewMember(member.name(),
                                member.peerUrls().getFirst()), "run", EtcdModel.CLUSTER, List.of(),
                                facts.now())
                                .member(member.id(), JoinState.MANIFEST, 0, facts.now()),
                                List.of(member), member)
                        : decision));
    }

    @Test
    void waitingForEverIsNoticed() {
        noticed("never ends", instead((facts, decision) -> decision instanceof JoinDecision.Fail
                ? new JoinDecision.Wait(WaitReason.STARTING, "still hoping", Duration.ofMinutes(1))
                : decision));
    }

    private static Optional<Member> own(JoinFacts facts) {
        return facts.view() instanceof ClusterView.Seen(var health)
                ? facts.journal().flatMap(JoinEntry::memberId).flatMap(health::find)
                : Optional.empty();
    }
}
