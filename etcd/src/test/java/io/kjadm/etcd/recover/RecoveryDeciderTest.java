package io.kjadm.etcd.recover;

import static io.kjadm.etcd.recover.EvidenceScene.labels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.recover.MemberFacts.Loss;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is wrong is told of what was seen, and nothing is given up that may come back. */
class RecoveryDeciderTest {

    @Test
    void allThatFollowOneLeaderAreHealthy() {
        assertInstanceOf(
                Diagnosis.Healthy.class,
                new EvidenceScene(3).answering(1, 2, 3).led().decide());
    }

    @Test
    void aFullDatabaseIsNoHealth() {
        assertInstanceOf(
                Diagnosis.OutOfSpace.class,
                new EvidenceScene(3)
                        .answering(1, 2, 3)
                        .led()
                        .alarm(2, "NOSPACE")
                        .decide());
    }

    @Test
    void oneThatIsMissingInAQuorumIsToBeReplacedOrBroughtBack() {
        var lost = assertInstanceOf(
                Diagnosis.MemberLost.class,
                new EvidenceScene(3).answering(1, 2).led().empty(3).decide());

        assertEquals(List.of("cp-3"), labels(lost.missing()));
        assertEquals(Loss.SEEN, lost.missing().getFirst().loss());
    }

    @Test
    void twoOfThreeThatAreSilentMayComeBack() {
        var lost = assertInstanceOf(
                Diagnosis.QuorumLostForNow.class,
                new EvidenceScene(3).answering(1).data(1, 100).decide());

        assertEquals(List.of("cp-2", "cp-3"), labels(lost.mayReturn()));
        assertEquals(1, lost.needed());
        assertEquals(2, lost.more());
    }

    @Test
    void membersThatAnswerWithoutALeaderNeedNobodyBack() {
        var lost = assertInstanceOf(
                Diagnosis.QuorumLostForNow.class,
                new EvidenceScene(3).answering(1, 2, 3).decide());

        assertEquals(0, lost.needed());
        assertEquals(List.of(), lost.mayReturn());
    }

    /** One that is gone leaves two of three, who are a quorum if one comes back. */
    @Test
    void oneOfThreeThatIsDeclaredLostIsNotEnough() {
        var lost = assertInstanceOf(
                Diagnosis.QuorumLostForNow.class,
                new EvidenceScene(3).answering(1).data(1, 100).decide("cp-2"));

        assertEquals(List.of("cp-3"), labels(lost.mayReturn()));
        assertEquals(1, lost.more());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void twoOfThreeThatAreGoneForGoodLeaveASurvivor(boolean seen) {
        EvidenceScene scene = new EvidenceScene(3).answering(1).data(1, 100);
        Diagnosis diagnosis = (seen ? scene.empty(2).empty(3) : scene)
                .decide("cp-2", EvidenceScene.id(3).toString());

        var lost = assertInstanceOf(Diagnosis.QuorumLostForGood.class, diagnosis);
        assertEquals(List.of("cp-1"), labels(lost.survivors()));
        assertEquals(List.of(), lost.unseen());
    }

    @Test
    void aSurvivorWhoseEtcdDoesNotRunIsOneByItsDisk() {
        var lost = assertInstanceOf(
                Diagnosis.QuorumLostForGood.class,
                new EvidenceScene(3).data(1, 90, 95, 97, 4).decide("cp-2", "cp-3"));

        MemberFacts.Progress progress = lost.survivors().getFirst().progress().orElseThrow();
        assertEquals(90, progress.applied());
        assertEquals(95, progress.kept());
        assertEquals(97, progress.lastIndex());
        assertEquals(new LogEvidence.Gap(4, 2), progress.gap());
    }

    @Test
    void theSurvivorThatHoldsTheMostComesFirst() {
        var lost = assertInstanceOf(
                Diagnosis.QuorumLostForGood.class,
                new EvidenceScene(5).data(1, 100).data(2, 120).decide("cp-3", "cp-4", "cp-5"));

        assertEquals(List.of("cp-2", "cp-1"), labels(lost.survivors()));
        assertTrue(lost.holdsTheMost(lost.survivors().get(0)));
        assertFalse(lost.holdsTheMost(lost.survivors().get(1)));
    }

    /** Entries behind the commit are not restored, so they only decide between equals. */
    @Test
    void whatIsCommittedCountsMoreThanALongerLog() {
        var lost = assertInstanceOf(
                Diagnosis.QuorumLostForGood.class,
                new EvidenceScene(5)
                        .data(1, 100, 100, 130, 0)
                        .data(2, 101, 101, 101, 0)
                        .decide("cp-3", "cp-4", "cp-5"));

        assertEquals(List.of("cp-2", "cp-1"), labels(lost.survivors()));
    }

    @Test
    void oneThatNobodyHasSeenMayHoldMore() {
        var lost = assertInstanceOf(
                Diagnosis.QuorumLostForGood.class,
                new EvidenceScene(5).data(1, 100).decide("cp-3", "cp-4", "cp-5"));

        assertEquals(List.of("cp-2"), labels(lost.unseen()));
    }

    /** The copy that can be read is damaged; the other one may be whole. */
    /** A file of an earlier failure: the cluster has served since, with that one and without this. */
    @Test
    void whatWasSeenOfASurvivorLongAgoIsNotWhatItHolds() {
        EvidenceScene scene = new EvidenceScene(5).data(1, 120).data(2, 100);
        NodeEvidence own = scene.evidence().get(0);
        NodeEvidence other = scene.evidence().get(1);
        for (Duration age : List.of(Duration.ofMinutes(10), Duration.ofDays(30))) {
            RecoveryFacts facts = RecoveryFacts.of(
                    Optional.of(own),
                    List.of(scene.node(other.node(), EvidenceScene.NOW.minus(age), other.own())),
                    EvidenceScene.NOW,
                    List.of("cp-3", "cp-4", "cp-5"));
            var lost = assertInstanceOf(
                    Diagnosis.QuorumLostForGood.class, RecoveryDecider.decide(facts));

            boolean old = age.compareTo(RecoveryFacts.FRESH) > 0;
            assertEquals(old ? List.of("cp-2") : List.of(), labels(lost.unseen()), age::toString);
            assertEquals(old ? List.of("cp-1") : List.of("cp-1", "cp-2"), labels(lost.survivors()));
        }
    }

    @Test
    void oneThatNobodyHasSeenMayBeTheSurvivor() {
        var lost = assertInstanceOf(
                Diagnosis.QuorumLostForGood.class,
                new EvidenceScene(5).data(3, 50).damaged(1).decide("cp-3", "cp-4", "cp-5"));

        assertEquals(List.of(), lost.survivors());
        assertEquals(List.of("cp-2"), labels(lost.unseen()));
        assertEquals(List.of("cp-1"), labels(lost.damaged()));
    }

    @Test
    void aDamagedCopyIsNoSurvivor() {
        var lost = assertInstanceOf(
                Diagnosis.QuorumLostForGood.class,
                new EvidenceScene(5).data(1, 100).damaged(2).decide("cp-3", "cp-4", "cp-5"));

        assertEquals(List.of("cp-1"), labels(lost.survivors()));
        assertEquals(List.of("cp-2"), labels(lost.damaged()));
    }

    @Test
    void whereAllDisksAreEmptyAllIsLost() {
        RecoveryFacts facts = new EvidenceScene(3).empty(1).empty(2).empty(3).facts();

        assertInstanceOf(Diagnosis.AllLost.class, RecoveryDecider.decide(facts));
        assertFalse(facts.listed());
        assertEquals(3, facts.voters().size());
    }

    @Test
    void dataOfAnotherMemberAreAsGoodAsNone() {
        EvidenceScene scene = new EvidenceScene(3)
                .answering(1, 2)
                .led()
                .dataOf(3, new MemberId(0xdead), EvidenceScene.CLUSTER);

        var lost = assertInstanceOf(Diagnosis.MemberLost.class, scene.decide());
        assertEquals(Loss.SEEN, lost.missing().getFirst().loss());
    }

    @Test
    void oneThatAnswersIsNotLostWhateverIsSaid() {
        RecoveryFacts facts =
                new EvidenceScene(3).answering(1, 2).data(1, 100).facts("cp-2", "cp-3");

        assertEquals(List.of("cp-2"), labels(facts.aliveThoughDeclared()));
        assertInstanceOf(Diagnosis.QuorumLostForNow.class, RecoveryDecider.decide(facts));
    }

    @Test
    void nothingIsDecidedOfNothing() {
        assertInstanceOf(Diagnosis.Unknown.class, new EvidenceScene(3).decide());
    }

    /** A disk may be mounted late: what was seen does not take the place of the operator's word. */
    @Test
    void emptyDisksAloneGiveNobodyUp() {
        var lost = assertInstanceOf(
                Diagnosis.QuorumLostForNow.class,
                new EvidenceScene(3).answering(1).data(1, 100).empty(2).empty(3).decide("cp-2"));

        assertEquals(1, lost.more());
        assertEquals(List.of("cp-3"), labels(lost.mayReturn()));
    }

    /** Port 2379 is closed between the nodes, 2380 is open. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLeaderThatTheSurvivorKnowsProvesAQuorum(boolean declared) {
        EvidenceScene scene = new EvidenceScene(3).answering(1).led().data(1, 100);

        var reach = assertInstanceOf(
                Diagnosis.QuorumOutOfReach.class,
                declared ? scene.decide("cp-2", "cp-3") : scene.decide());

        assertEquals(List.of("cp-1"), labels(reach.following()));
        assertEquals(List.of("cp-2", "cp-3"), labels(reach.silent()));
    }

    @Test
    void aPeerUrlNamesAVoter() {
        assertInstanceOf(
                Diagnosis.QuorumLostForGood.class,
                new EvidenceScene(3).data(1, 100).decide("https://cp-2:2380", "cp-3"));
    }

    /** What the evidence says of a voter. */
    private enum Seen {
        ANSWERING,
        DATA,
        /** Its disk is empty, and the operator gives it up. */
        EMPTY,
        NOTHING
    }

    /**
     * Every cluster of up to five voters with all that can be known of each. A survivor may begin
     * only where the others can never be a quorum again, and it is one that holds the most of those
     * seen.
     */
    @Test
    void noSurvivorBeginsWhereTheOthersMayComeBack() {
        int begun = 0;
        for (int voters = 1; voters <= 5; voters++) {
            for (int state = 0; state < Math.pow(Seen.values().length, voters); state++) {
                begun += begins(states(voters, state)) ? 1 : 0;
            }
        }
        assertTrue(begun > 100, "begun: " + begun);
    }

    private static List<Seen> states(int voters, int state) {
        List<Seen> seen = new ArrayList<>();
        for (int rest = state; seen.size() < voters; rest /= Seen.values().length) {
            seen.add(Seen.values()[rest % Seen.values().length]);
        }
        return seen;
    }

    private static boolean begins(List<Seen> voters) {
        EvidenceScene scene = new EvidenceScene(voters.size());
        List<String> given = new ArrayList<>();
        long most = 0;
        for (int voter = 1; voter <= voters.size(); voter++) {
            switch (voters.get(voter - 1)) {
                case ANSWERING -> {
                    scene.answering(voter);
                    most = Math.max(most, 100);
                }
                case DATA -> {
                    scene.data(voter, 100 + voter);
                    most = 100L + voter;
                }
                case EMPTY -> {
                    scene.empty(voter);
                    given.add(EvidenceScene.name(voter));
                }
                case NOTHING -> {}
            }
        }
        Diagnosis diagnosis = scene.decide(given.toArray(String[]::new));
        if (diagnosis instanceof Diagnosis.AllLost) {
            assertEquals(voters.size(), given.size(), voters::toString);
        }
        if (!(diagnosis instanceof Diagnosis.QuorumLostForGood lost)) {
            return false;
        }
        assertTrue(voters.size() - given.size() <= voters.size() / 2, voters::toString);
        if (lost.survivors().isEmpty()) {
            return false;
        }
        MemberFacts first = lost.survivors().getFirst();
        assertEquals(most, first.progress().orElseThrow().kept(), voters::toString);
        return true;
    }

    @Test
    void theOnlyVoterThatLeadsIsAlive() {
        assertInstanceOf(
                Diagnosis.Healthy.class, new EvidenceScene(1).answering(1).led().decide());
    }

    @Test
    void onlyTheAlarmForSpaceTellsOfSpace() {
        assertInstanceOf(
                Diagnosis.OutOfSpace.class,
                new EvidenceScene(1).answering(1).led().alarm(1, "NOSPACE").decide());
        assertInstanceOf(
                Diagnosis.Healthy.class,
                new EvidenceScene(1).answering(1).led().alarm(1, "LATER").decide());
    }
}
