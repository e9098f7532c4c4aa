package io.kjadm.etcd;

import static io.kjadm.etcd.SimulatedCluster.peerUrl;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.SimulatedCluster.Fault;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a join that goes wrong costs the cluster. A member is added that never answers, while calls fail in any order: with
 * learners the others go on writing and can take it back; the voting twin shows what is lost.
 */
class AvailabilityTest {

    private static final int ROUNDS = 2_000;

    @Test
    void learnerThatNeverAnswersLeavesWritesAvailable() {
        long seed = System.nanoTime();
        for (int round = 0; round < ROUNDS; round++) {
            var random = new Random(seed + round);
            SimulatedCluster cluster = SimulatedCluster.ofVoters(1 + random.nextInt(5));
            int voters = cluster.members().size();
            var wanted = new NewMember("new", peerUrl("new"));
            var adder = new LearnerMemberAdder();
            String story = "seed " + (seed + round) + ", " + voters + " voters";

            for (int step = 0; step < 12; step++) {
                disturb(cluster, random);
                Announcement answer = adder.announce(cluster, wanted);
                assertTrue(cluster.writable(), story);
                if (answer instanceof Announcement.Added(Member member, List<Member> ignored)) {
                    assertInstanceOf(Settlement.CatchingUp.class, adder.settle(cluster, member.id()), story);
                }
            }
            assertTrue(cluster.members().size() <= voters + 1, story + ": added twice " + cluster.changes());

            withdrawFully(cluster, adder, wanted, random, story);
            assertEquals(voters, cluster.members().size(), story + ": left behind " + cluster.changes());
            assertTrue(cluster.writable(), story);
            assertTrue(cluster.changes().stream().noneMatch(change -> change.startsWith("promote")), story);
        }
    }

    @Test
    void learnerThatAnswersNowAndThenIsNeverRemovedAsAVoter() {
        long seed = System.nanoTime();
        for (int round = 0; round < ROUNDS; round++) {
            var random = new Random(seed + round);
            SimulatedCluster cluster = SimulatedCluster.ofVoters(1 + random.nextInt(5));
            int voters = cluster.members().size();
            var wanted = new NewMember("new", peerUrl("new"));
            var adder = new LearnerMemberAdder();
            String story = "seed " + (seed + round) + ", " + voters + " voters";

            for (int step = 0; step < 20; step++) {
                disturb(cluster, random);
                if (adder.announce(cluster, wanted) instanceof Announcement.AlreadyThere(Member member, var ignored)) {
                    if (!member.started() && random.nextInt(3) == 0) {
                        cluster.start(member.id(), "new");
                    }
                    cluster.write(random.nextInt(50));
                    adder.settle(cluster, member.id());
                }
                assertTrue(cluster.writable(), story);
            }
            cluster.tick();
            boolean votes = cluster.members().stream().filter(Member::voter).count() == voters + 1;
            withdrawFully(cluster, adder, wanted, random, story);
            assertEquals(votes ? voters + 1 : voters, cluster.members().size(), story + " " + cluster.changes());
        }
    }

    private static void disturb(SimulatedCluster cluster, Random random) {
        if (random.nextInt(2) == 0) {
            Fault[] faults = Fault.values();
            cluster.next(faults[random.nextInt(faults.length)]);
        }
        if (random.nextInt(4) == 0) {
            cluster.failListsAfterNextChange(1);
        }
        if (random.nextInt(8) == 0) {
            cluster.failLists(1);
        }
        // between two calls the pause the answers ask for has passed
        cluster.tick();
    }

    private static void withdrawFully(SimulatedCluster cluster, MemberAdder adder, NewMember wanted, Random random,
            String story) {
        for (int i = 0; i < 50; i++) {
            cluster.tick();
            switch (adder.withdraw(cluster, wanted)) {
                case Withdrawal.NothingListed ignored -> {
                    return;
                }
                case Withdrawal.NowVoter ignored -> {
                    return;
                }
                case Withdrawal.Removed ignored -> {
                    return;
                }
                case Withdrawal.MustWait ignored -> cluster.tick();
                case Withdrawal.Kept ignored -> cluster.tick();
            }
        }
        throw new AssertionError(story + ": withdrawal never ends, random " + random.nextInt());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void votersAddedDirectlyAndNeverStartedCostTheWrites(int voters) {
        SimulatedCluster cluster = SimulatedCluster.ofVoters(voters);
        var adder = new LegacyVotingMemberAdder();
        MemberId added = assertInstanceOf(Announcement.Added.class,
                adder.announce(cluster, new NewMember("new", peerUrl("new")))).member().id();
        // four voters of which one never starts stand no further failure, two stand none at all
        if (voters > 1) {
            assertTrue(cluster.writable());
            cluster.stop(cluster.id("cp-1"));
        }
        assertFalse(cluster.writable());
        // nor can anybody take the member back: that needs the quorum it cost
        assertInstanceOf(Settlement.CatchingUp.class, adder.settle(cluster, added));
        assertInstanceOf(Withdrawal.Kept.class, adder.withdraw(cluster, new NewMember("new", peerUrl("new"))));
    }
}
