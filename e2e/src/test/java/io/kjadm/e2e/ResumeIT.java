package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.cluster.Trial;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;
import io.kjadm.e2e.lab.Running;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Joins and resets that are cut short, and the same command once more. Each
 * case is named by its number there. A numbered writer runs all the time: no case may lose or fail
 * a write.
 *
 * <p>Usually a handful of the cases runs. All of them, in about 40 minutes, by
 * {@code mvn verify -Dkjadm.faults=all
 * -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false -Dit.test=ResumeIT}. The seed of the random
 * moments is printed, and {@code -Dkjadm.faults.seed=…} repeats them.
 */
@Order(1)
@NeedsLab
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ResumeIT {
    private static final String ALL = "kjadm.faults";
    private static final String DEMAND = "played only with -Dkjadm.faults=all";
    private static final int KILLED = 137;
    /** By SIGINT and by SIGTERM. */
    private static final Set<Integer> INTERRUPTED = Set.of(130, 143);
    /** What a join says that waits for another's member. */
    private static final String BLOCKED = "another member is joining";
    /** In which a kubelet starts a container that it has begun to start. */
    private static final Duration CONTAINER_START = Duration.ofSeconds(5);

    private static final Duration LONG = Duration.ofMinutes(5);

    private final long seed = Long.getLong("kjadm.faults.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private Trial trial;
    private Cluster cluster;
    private Optional<Duration> usualJoin = Optional.empty();
    private Optional<Duration> usualReset = Optional.empty();

    @BeforeAll
    void makeACluster() {
        System.out.printf(
                "[faults] seed %d; %s%n",
                seed, everything() ? "all cases" : "a handful of the cases");
        trial = Trial.withNodes(4);
        cluster = trial.cluster();
    }

    @AfterAll
    void removeIt() {
        if (trial != null) {
            trial.close();
        }
    }

    @BeforeEach
    void begin() {
        trial.begin();
    }

    @AfterEach
    void clean() {
        trial.clean();
    }

    private void beginAnew() {
        trial.clean();
        trial.begin();
    }

    /**
     * A join that ends as by {@code kill -9}.
     *
     * @param failpoint before or after the journal's entry of a state; the action that a state
     *         announces has been done when the next state is about to be entered
     * @param usual whether it belongs to the handful
     */
    record Cut(String name, String failpoint, boolean usual) {
        @Override
        public String toString() {
            return name + " (" + failpoint + ")";
        }
    }

    static Stream<Cut> cuts() {
        return Stream.of(
                        new Cut("F03 before the add is announced", "adding:before", false),
                        new Cut("F03 before the add is sent", "adding:after", false),
                        new Cut(
                                "F04 with the add sent and its answer unknown",
                                "added:before",
                                true),
                        new Cut("F05 after the add", "added:after", false),
                        new Cut("F06 before the manifest is announced", "manifest:before", false),
                        new Cut("F06 before the manifest is written", "manifest:after", false),
                        new Cut(
                                "F07 with the manifest written and the start awaited",
                                "started:before",
                                false),
                        new Cut("F07 after the start", "started:after", false),
                        new Cut("F08 before the promotion is announced", "promoting:before", false),
                        new Cut("F08 before the promotion is sent", "promoting:after", false),
                        new Cut(
                                "F09 with the promotion sent and its answer unknown",
                                "promoted:before",
                                true),
                        new Cut("F10 after the promotion", "promoted:after", false),
                        new Cut("F10 before the end is noted", "done:before", false),
                        new Cut("F10 after the end was noted", "done:after", false))
                .filter(cut -> cut.usual() || everything());
    }

    @Order(1)
    @ParameterizedTest(name = "{0}")
    @MethodSource("cuts")
    void goesOnAfterAKill(Cut cut) {
        var killed = cluster.startJoin(
                        Tool.KJADM,
                        trial.node(2),
                        "KJADM_FAILPOINT=" + cut.failpoint() + "=exit137")
                .outcome();
        assertEquals(KILLED, killed.status(), killed::everything);

        usualJoin =
                Optional.of(cluster.joinControlPlane(Tool.KJADM, trial.node(2)).took());
        trial.assertJoined(1, 2);
        trial.report(cut.toString());
    }

    static IntStream kills() {
        return everything() ? IntStream.rangeClosed(1, 7) : IntStream.of(4);
    }

    /** Seven moments, one in each seventh of the time that a join takes. */
    @Order(2)
    @ParameterizedTest(name = "F03-F12 kill -9 in seventh {0} of the join")
    @MethodSource("kills")
    void goesOnAfterAKillAtAnyMoment(int seventh) throws InterruptedException {
        var after = momentIn(seventh, 7, usualJoin());
        var killed = killJoin(after);
        while (killed.succeeded()) { // it was faster than the one that was measured
            usualJoin = Optional.of(killed.took());
            beginAnew();
            after = momentIn(seventh, 7, usualJoin());
            killed = killJoin(after);
        }
        var journal = trial.node(2)
                .exec("grep", "-s", "state", "/etc/kubernetes/tmp/kjadm-etcd-join")
                .stdout()
                .strip();

        cluster.joinControlPlane(Tool.KJADM, trial.node(2));
        trial.assertJoined(1, 2);
        trial.report(
                "F03-F12 kill -9 after %d ms, seventh %d, exit status %d, journal: %s; last line \"%s\""
                        .formatted(
                                after.toMillis(),
                                seventh,
                                killed.status(),
                                journal.isEmpty() ? "none" : journal,
                                lastLine(killed)));
    }

    private Outcome killJoin(Duration after) throws InterruptedException {
        var join = cluster.startJoin(Tool.KJADM, trial.node(2));
        Thread.sleep(after);
        join.signal("KILL");
        return join.outcome();
    }

    /** The kubelet is in the middle of starting the container then, and would go on with it. */
    @Order(3)
    @Test
    void f13TakesItsLearnerBackWhenTerminated() throws InterruptedException {
        var join = cluster.startJoin(Tool.KJADM, trial.node(2));
        assertTrue(
                join.signalAfter(Node.ETCD_MANIFEST, Duration.ofMillis(200), "TERM"), join::output);
        assertTakenBack(join);

        Thread.sleep(CONTAINER_START.toMillis());
        assertFalse(trial.node(2).exists("/var/lib/etcd/member"), "etcd was started after that");
        cluster.joinControlPlane(Tool.KJADM, trial.node(2));
        trial.assertJoined(1, 2);
        trial.report("F13 SIGTERM while the member is started");
    }

    @Order(3)
    @Test
    @EnabledIfSystemProperty(named = ALL, matches = "all", disabledReason = DEMAND)
    void f13TakesALearnerBackThatCannotStart() {
        trial.node(2).breakEtcd();
        var join = cluster.startJoin(Tool.KJADM, trial.node(2));
        trial.awaitMember(join, trial.node(2));
        assertTrue(join.signal("TERM"), join::output);
        assertTakenBack(join);

        trial.node(2).mendEtcd();
        cluster.joinControlPlane(Tool.KJADM, trial.node(2));
        trial.assertJoined(1, 2);
        trial.report("F13 SIGTERM while a member is awaited that cannot start");
    }

    private void assertTakenBack(Running join) {
        var stopped = join.outcome();
        assertTrue(
                INTERRUPTED.contains(stopped.status()),
                () -> stopped.status() + ": " + stopped.everything());
        assertTrue(stopped.everything().contains("was removed again"), stopped::everything);
        cluster.assertVoters(trial.node(1));
    }

    /**
     * The first is killed when its learner follows already, the second while it waits for the
     * first. The third needs nobody's help once the first has run again, and then the second does.
     */
    @Order(4)
    @Test
    void f46F47F50ThreeJoinsAtOnceAndTwoOfThemKilled() {
        var first = cluster.startJoin(
                Tool.KJADM, trial.node(2), "KJADM_FAILPOINT=started:after=exit137");
        trial.awaitMember(first, trial.node(2));
        var second = cluster.startJoin(Tool.KJADM, trial.node(3));
        var third = cluster.startJoin(Tool.KJADM, trial.node(4));
        assertEquals(KILLED, first.outcome().status(), first::output);
        awaitQueueing(second);
        assertTrue(second.signal("KILL"), second::output);
        assertEquals(KILLED, second.outcome().status());
        awaitQueueing(third);

        cluster.joinControlPlane(Tool.KJADM, trial.node(2));
        third.outcome().orFail();
        cluster.joinControlPlane(Tool.KJADM, trial.node(3));
        trial.assertJoined(1, 2, 3, 4);
        trial.report(
                "F46 F47 F50 three joins at once, one killed with its learner listed, one in the queue");
    }

    @Order(5)
    @Test
    @EnabledIfSystemProperty(named = ALL, matches = "all", disabledReason = DEMAND)
    void f47TwoJoinsGoOnWithoutHelpWhenAThirdIsKilledInTheQueue() {
        var joins = IntStream.rangeClosed(2, 4)
                .mapToObj(i -> cluster.startJoin(Tool.KJADM, trial.node(i)))
                .toList();
        var victim = Eventually.get(
                LONG,
                () -> IntStream.range(0, 3)
                        .filter(i -> queues(joins.get(i)))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no join waits")));
        assertTrue(joins.get(victim).signal("KILL"));
        IntStream.range(0, 3)
                .filter(i -> i != victim)
                .forEach(i -> joins.get(i).outcome().orFail());

        cluster.joinControlPlane(Tool.KJADM, trial.node(victim + 2));
        trial.assertJoined(1, 2, 3, 4);
        trial.report("F47 three joins at once, one killed in the queue");
    }

    /** The dead run's lock is over, and whoever has it now waits for the dead run's learner. */
    @Order(5)
    @Test
    @EnabledIfSystemProperty(named = ALL, matches = "all", disabledReason = DEMAND)
    void f50TheOwnerOfAnOrphanedLearnerGoesOnThoughAnotherHoldsTheLock() {
        var killed = cluster.startJoin(
                Tool.KJADM, trial.node(2), "KJADM_FAILPOINT=started:after=exit137");
        assertEquals(KILLED, killed.outcome().status(), killed::output);
        var waiting = cluster.startJoin(Tool.KJADM, trial.node(3));
        Eventually.passes(
                LONG, () -> assertTrue(waiting.output().contains(BLOCKED), waiting::output));

        cluster.joinControlPlane(Tool.KJADM, trial.node(2));
        waiting.outcome().orFail();
        trial.assertJoined(1, 2, 3);
        trial.report("F50 the owner of a learner comes back when its lock was taken over");
    }

    @Order(5)
    @Test
    @EnabledIfSystemProperty(named = ALL, matches = "all", disabledReason = DEMAND)
    void f114ALearnerWhoseJoinDiedIsReset() {
        var killed = cluster.startJoin(
                        Tool.KJADM, trial.node(2), "KJADM_FAILPOINT=started:after=exit137")
                .outcome();
        assertEquals(KILLED, killed.status(), killed::everything);
        cluster.reset(Tool.KJADM, trial.node(2));

        trial.assertGone(trial.node(2));
        cluster.assertVoters(trial.node(1));
        trial.report("F114 reset of a learner");
    }

    @Order(5)
    @Test
    @EnabledIfSystemProperty(named = ALL, matches = "all", disabledReason = DEMAND)
    void f104TheLeaderOfThreeLeavesWithoutAGap() {
        trial.grow(3);
        cluster.etcdctl(
                trial.node(1),
                "move-leader " + trial.member(trial.node(3)).orElseThrow().id());
        trial.begin();
        var reset = cluster.reset(Tool.KJADM, trial.node(3));
        cluster.forget(trial.node(3));

        assertTrue(reset.everything().contains("lead"), reset::everything);
        trial.assertGone(trial.node(3));
        trial.assertJoined(1, 2);
        var writes = trial.report("F104 the leader of three is reset");
        assertTrue(writes.longestGap().toMillis() <= 3000, writes::toString);
    }

    static IntStream thirds() {
        return IntStream.rangeClosed(1, 3);
    }

    @Order(6)
    @ParameterizedTest(name = "F111 kill -9 in third {0} of the reset")
    @MethodSource("thirds")
    @EnabledIfSystemProperty(named = ALL, matches = "all", disabledReason = DEMAND)
    void resetGoesOnAfterAKillAtAnyMoment(int third) throws InterruptedException {
        cluster.joinControlPlane(Tool.KJADM, trial.node(2));
        trial.assertJoined(1, 2);
        var after = momentIn(third, 3, usualReset());
        var reset = cluster.startReset(Tool.KJADM, trial.node(2));
        Thread.sleep(after);
        reset.signal("KILL");
        var killed = reset.outcome();

        cluster.reset(Tool.KJADM, trial.node(2));
        trial.assertGone(trial.node(2));
        cluster.forget(trial.node(2));
        cluster.joinControlPlane(Tool.KJADM, trial.node(2));
        trial.assertJoined(1, 2);
        trial.report("F111 F115 kill -9 of a reset after %d ms, exit status %d; last line \"%s\""
                .formatted(after.toMillis(), killed.status(), lastLine(killed)));
    }

    /**
     * How long a join takes; if none has been seen yet, one without a fault is made and rolled back.
     */
    private Duration usualJoin() {
        if (usualJoin.isEmpty()) {
            usualJoin = Optional.of(
                    cluster.joinControlPlane(Tool.KJADM, trial.node(2)).took());
            trial.assertJoined(1, 2);
            beginAnew();
        }
        return usualJoin.get();
    }

    /** How long a reset takes; if none has been seen yet, node 2 leaves and comes back. */
    private Duration usualReset() {
        if (usualReset.isEmpty()) {
            usualReset = Optional.of(cluster.reset(Tool.KJADM, trial.node(2)).took());
            trial.assertGone(trial.node(2));
            cluster.forget(trial.node(2));
            cluster.joinControlPlane(Tool.KJADM, trial.node(2));
            trial.assertJoined(1, 2);
        }
        return usualReset.get();
    }

    private Duration momentIn(int part, int parts, Duration whole) {
        return Duration.ofMillis(
                (long) (whole.toMillis() * (part - 1 + random.nextDouble()) / parts));
    }

    private static void awaitQueueing(Running join) {
        Eventually.passes(LONG, () -> assertTrue(queues(join), join::output));
    }

    /** For the lock, or with the lock for the learner of somebody else. */
    private static boolean queues(Running join) {
        return Stream.of("waiting for the etcd membership lock", BLOCKED)
                .anyMatch(join.output()::contains);
    }

    private static String lastLine(Outcome outcome) {
        return outcome.stdout()
                .lines()
                .filter(line -> !line.isBlank())
                .reduce((former, last) -> last)
                .orElse("nothing");
    }

    private static boolean everything() {
        return "all".equals(System.getProperty(ALL));
    }
}
