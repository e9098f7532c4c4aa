package io.kjadm.etcd.recover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.recover.MemberFacts.Loss;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What is wrong is told of what was seen, and nothing is given up that may come back. */
class RecoveryDeciderTest {

    private static List<String> labels(List<MemberFacts> members) {
        return members.stream().map(MemberFacts::label).toList();
    }

    private static <D extends Diagnosis> D assertIs(Class<D> kind, Diagnosis diagnosis) {
        return assertInstanceOf(kind, diagnosis);
    }

    @Test
    void allThatFollowOneLeaderAreHealthy() {
        assertIs(
                Diagnosis.Healthy.class,
                new EvidenceScene(3).answering(1, 2, 3).led().decide());
    }

    @Test
    void aFullDatabaseIsNoHealth() {
        assertIs(
                Diagnosis.OutOfSpace.class,
                new EvidenceScene(3)
                        .answering(1, 2, 3)
                        .led()
                        .alarm(2, "NOSPACE")
                        .decide());
    }

    @Test
    void oneThatIsMissingInAQuorumIsToBeReplacedOrBroughtBack() {
        var lost = assertIs(
                Diagnosis.MemberLost.class,
                new EvidenceScene(3).answering(1, 2).led().empty(3).decide());

        assertEquals(List.of("cp-3"), labels(lost.missing()));
        assertEquals(Loss.SEEN, lost.missing().getFirst().loss());
    }

    @Test
    void twoOfThreeThatAreSilentMayComeBack() {
        var lost = assertIs(
                Diagnosis.QuorumLostForNow.class,
                new EvidenceScene(3).answering(1).data(1, 100).decide());

        assertEquals(List.of("cp-2", "cp-3"), labels(lost.mayReturn()));
        assertEquals(1, lost.needed());
        assertEquals(2, lost.more());
    }

    @Test
    void membersThatAnswerWithoutALeaderNeedNobodyBack() {
        var lost = assertIs(
                Diagnosis.QuorumLostForNow.class,
                new EvidenceScene(3).answering(1, 2, 3).decide());

        assertEquals(0, lost.needed());
        assertEquals(List.of(), lost.mayReturn());
    }

    /** One that is gone leaves two of three, who are a quorum if one comes back. */
    @Test
    void oneOfThreeThatIsDeclaredLostIsNotEnough() {
        var lost = assertIs(
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

        var lost = assertIs(Diagnosis.QuorumLostForGood.class, diagnosis);
        assertEquals(List.of("cp-1"), labels(lost.survivors()));
        assertEquals(List.of(), lost.unseen());
    }

    @Test
    void aSurvivorWhoseEtcdDoesNotRunIsOneByItsDisk() {
        var lost = assertIs(
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
        var lost = assertIs(
                Diagnosis.QuorumLostForGood.class,
                new EvidenceScene(5).data(1, 100).data(2, 120).decide("cp-3", "cp-4", "cp-5"));

        assertEquals(List.of("cp-2", "cp-1"), labels(lost.survivors()));
        assertTrue(lost.holdsTheMost(lost.survivors().get(0)));
        assertFalse(lost.holdsTheMost(lost.survivors().get(1)));
    }

    /** Entries behind the commit are not restored, so they only decide between equals. */
    @Test
    void whatIsCommittedCountsMoreThanALongerLog() {
        var lost = assertIs(
                Diagnosis.QuorumLostForGood.class,
                new EvidenceScene(5)
                        .data(1, 100, 100, 130, 0)
                        .data(2, 101, 101, 101, 0)
                        .decide("cp-3", "cp-4", "cp-5"));

        assertEquals(List.of("cp-2", "cp-1"), labels(lost.survivors()));
    }

    @Test
    void oneThatNobodyHasSeenMayHoldMore() {
        var lost = assertIs(
                Diagnosis.QuorumLostForGood.class,
                new EvidenceScene(5).data(1, 100).decide("cp-3", "cp-4", "cp-5"));

        assertEquals(List.of("cp-2"), labels(lost.unseen()));
    }

    @Test
    void aDamagedCopyIsNoSurvivor() {
        var lost = assertIs(
                Diagnosis.QuorumLostForGood.class,
                new EvidenceScene(5).data(1, 100).damaged(2).decide("cp-3", "cp-4", "cp-5"));

        assertEquals(List.of("cp-1"), labels(lost.survivors()));
        assertEquals(List.of("cp-2"), labels(lost.damaged()));
    }

    @Test
    void onlyDamagedCopiesAreForAHuman() {
        var corrupt = assertIs(
                Diagnosis.Corrupt.class,
                new EvidenceScene(3).data(2, 50).damaged(1).decide("cp-2", "cp-3"));

        assertEquals(List.of(), corrupt.good());
        assertEquals(Set.of("cp-1"), corrupt.why().keySet());
    }

    @Test
    void whereAllDisksAreEmptyAllIsLost() {
        RecoveryFacts facts = new EvidenceScene(3).empty(1).empty(2).empty(3).facts();

        assertIs(Diagnosis.AllLost.class, RecoveryDecider.decide(facts));
        assertFalse(facts.listed());
        assertEquals(3, facts.voters().size());
    }

    @Test
    void dataOfAnotherMemberAreAsGoodAsNone() {
        EvidenceScene scene = new EvidenceScene(3)
                .answering(1, 2)
                .led()
                .dataOf(3, new MemberId(0xdead), EvidenceScene.CLUSTER);

        var lost = assertIs(Diagnosis.MemberLost.class, scene.decide());
        assertEquals(Loss.SEEN, lost.missing().getFirst().loss());
    }

    @Test
    void oneThatAnswersIsNotLostWhateverIsSaid() {
        RecoveryFacts facts =
                new EvidenceScene(3).answering(1, 2).data(1, 100).facts("cp-2", "cp-3");

        assertEquals(List.of("cp-2"), labels(facts.aliveThoughDeclared()));
        assertIs(Diagnosis.QuorumLostForNow.class, RecoveryDecider.decide(facts));
    }

    @Test
    void aNameThatNobodyHasIsTold() {
        assertEquals(
                Set.of("cp-9"),
                new EvidenceScene(3).answering(1).facts("cp-9", "cp-2").unknown());
    }

    @Test
    void theMemberThatHoldsSomethingElseThanAQuorumIsToBeReplaced() {
        var corrupt = assertIs(
                Diagnosis.Corrupt.class,
                new EvidenceScene(3)
                        .answering(1, 2, 3)
                        .led()
                        .hash(1, 7)
                        .hash(2, 7)
                        .hash(3, 8)
                        .decide());

        assertEquals(List.of("cp-3"), labels(corrupt.bad()));
        assertEquals(List.of("cp-1", "cp-2"), labels(corrupt.good()));
    }

    @Test
    void oneAgainstOneIsForAHuman() {
        var corrupt = assertIs(
                Diagnosis.Corrupt.class,
                new EvidenceScene(3).answering(1, 2).led().hash(1, 7).hash(2, 8).decide());

        assertEquals(List.of(), corrupt.bad());
        assertEquals(Set.of("cp-1", "cp-2"), corrupt.why().keySet());
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void anAlarmOrADamagedTreeNamesTheBadCopy(boolean alarm) {
        EvidenceScene scene = new EvidenceScene(3).answering(1, 2, 3).led();
        var corrupt = assertIs(
                Diagnosis.Corrupt.class,
                (alarm ? scene.alarm(2, "CORRUPT") : scene.damaged(2)).decide());

        assertEquals(List.of("cp-2"), labels(corrupt.bad()));
    }

    @Test
    void membersOfTwoClustersAreNeverJoined() {
        var split = assertIs(
                Diagnosis.Split.class,
                new EvidenceScene(3)
                        .answering(1, 2)
                        .led()
                        .dataOf(3, EvidenceScene.id(3), "c2")
                        .decide());

        assertEquals(Set.of("c1", "c2"), split.clusters().keySet());
        assertEquals(Set.of("cp-3"), split.clusters().get("c2"));
        assertEquals(Set.of("c1"), split.led());
    }

    /** An old member comes back beside the cluster that a survivor has begun. */
    @Test
    void whoAnswersInAMembersPlaceOutOfAnotherClusterIsASplit() {
        var split = assertIs(
                Diagnosis.Split.class,
                new EvidenceScene(3).answering(2).data(2, 80).stranger("c2", 1).decide());

        assertEquals(Set.of("c2"), split.led());
    }

    @Test
    void nothingIsDecidedOfNothing() {
        assertIs(Diagnosis.Unknown.class, new EvidenceScene(3).decide());
    }

    @Test
    void anOldAnswerSaysNothingOfNow() {
        EvidenceScene before = new EvidenceScene(3).answering(1, 2, 3).led();
        EvidenceScene now = new EvidenceScene(3).answering(1).data(1, 100);
        List<NodeEvidence> evidence = new ArrayList<>(now.evidence());
        evidence.add(before.node(
                "cp-2",
                EvidenceScene.NOW.minus(RecoveryFacts.FRESH).minus(Duration.ofSeconds(1)),
                Optional.empty()));

        assertIs(
                Diagnosis.QuorumLostForNow.class,
                RecoveryDecider.decide(RecoveryFacts.of(
                        Optional.empty(), evidence, EvidenceScene.NOW, List.of())));
    }

    /** A disk may be mounted late: what was seen does not take the place of the operator's word. */
    @Test
    void emptyDisksAloneGiveNobodyUp() {
        var lost = assertIs(
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

        var reach = assertIs(
                Diagnosis.QuorumOutOfReach.class,
                declared ? scene.decide("cp-2", "cp-3") : scene.decide());

        assertEquals(List.of("cp-1"), labels(reach.following()));
        assertEquals(List.of("cp-2", "cp-3"), labels(reach.silent()));
    }

    @Test
    void aPeerUrlNamesAVoter() {
        assertIs(
                Diagnosis.QuorumLostForGood.class,
                new EvidenceScene(3).data(1, 100).decide("https://cp-2:2380", "cp-3"));
    }

    private static DiskEvidence.Empty empty(
            List<String> setAside, Optional<String> owner, List<String> absent) {
        return new DiskEvidence.Empty("/var/lib/etcd", setAside, owner, absent);
    }

    /** All disks are empty; those of cp-2 and cp-3 were seen like that. */
    private static RecoveryFacts allEmpty(DiskEvidence.Empty second, Duration age) {
        EvidenceScene scene = new EvidenceScene(3).empty(1).disk(2, second).disk(3, second);
        List<NodeEvidence> nodes = scene.evidence();
        return RecoveryFacts.of(
                Optional.of(nodes.getFirst()),
                nodes.subList(1, 3),
                EvidenceScene.NOW.plus(age),
                List.of());
    }

    @Test
    void dataSetAsideAMissingMountOrAnUnknownDiskIsNoLoss() {
        Optional<String> owner = Optional.of("");
        assertIs(
                Diagnosis.AllLost.class,
                RecoveryDecider.decide(
                        allEmpty(empty(List.of(), owner, List.of()), Duration.ZERO)));
        for (DiskEvidence.Empty unsure : List.of(
                empty(List.of("/var/lib/etcd.replaced-20260927-000000"), owner, List.of()),
                empty(List.of(), owner, List.of("/var/lib/etcd")),
                empty(List.of(), Optional.empty(), List.of()))) {
            RecoveryFacts facts = allEmpty(unsure, Duration.ZERO);
            assertIs(Diagnosis.QuorumLostForNow.class, RecoveryDecider.decide(facts));
            assertTrue(unsure.doubt().isPresent());
        }
    }

    @Test
    void anOldDiskSaysNothingOfNow() {
        DiskEvidence.Empty empty = empty(List.of(), Optional.of(""), List.of());

        assertIs(
                Diagnosis.AllLost.class,
                RecoveryDecider.decide(allEmpty(empty, RecoveryFacts.FRESH)));
        assertIs(
                Diagnosis.QuorumLostForNow.class,
                RecoveryDecider.decide(
                        allEmpty(empty, RecoveryFacts.FRESH.plus(Duration.ofSeconds(1)))));
    }

    /** F166: an etcd that founds a cluster does so below the place of a disk that is mounted late. */
    @Test
    void dataOfAnotherMemberProveNothingWhereTheDiskIsNotMounted() {
        DiskEvidence.Held other = new DiskEvidence.Held(
                "/var/lib/etcd",
                new LogEvidence.Readable(
                        EvidenceScene.id(9),
                        EvidenceScene.CLUSTER,
                        new LogEvidence.Position(9, 3, 9),
                        new LogEvidence.Gap(0, 0)),
                new DatabaseEvidence.Whole(5, 9, 3, 4096),
                List.of());
        DiskEvidence.Held doubtful = new DiskEvidence.Held(
                other.dataDir(),
                other.log(),
                other.database(),
                List.of(),
                DiskEvidence.doubt(List.of("/var/lib/etcd"), List.of()));

        assertEquals(MemberFacts.Loss.SEEN, lossOf(other));
        assertEquals(MemberFacts.Loss.NONE, lossOf(doubtful));
    }

    private static MemberFacts.Loss lossOf(DiskEvidence disk) {
        return new MemberFacts(
                        EvidenceScene.member(2),
                        Optional.empty(),
                        "",
                        Optional.empty(),
                        Optional.of(
                                new MemberFacts.SeenDisk("cp-2", EvidenceScene.NOW, disk, true)),
                        false)
                .loss();
    }

    @Test
    void theDiskOfAnotherMemberIsNoLoss() {
        RecoveryFacts facts = new EvidenceScene(3)
                .answering(1)
                .data(1, 100)
                .disk(2, empty(List.of(), Optional.of("dead"), List.of()))
                .facts();

        assertEquals(Loss.NONE, facts.members().get(1).loss());
    }

    /** Its clock is an hour ahead; this run's answers count all the same. */
    @Test
    void evidenceOfTheFutureIsNotTakenAndTold() {
        EvidenceScene healthy = new EvidenceScene(3).answering(1, 2, 3).led();
        NodeEvidence own = healthy.evidence().getFirst();
        for (Duration ahead : List.of(RecoveryFacts.SKEW, Duration.ofHours(1))) {
            NodeEvidence fast = new EvidenceScene(3)
                    .node("cp-9", EvidenceScene.NOW.plus(ahead), Optional.empty());

            RecoveryFacts facts = RecoveryFacts.of(
                    Optional.of(own), List.of(fast), EvidenceScene.NOW, List.of("cp-2", "cp-3"));

            assertIs(Diagnosis.Healthy.class, RecoveryDecider.decide(facts));
            assertEquals(List.of("cp-2", "cp-3"), labels(facts.aliveThoughDeclared()));
            assertEquals(
                    ahead.equals(RecoveryFacts.SKEW) ? 0 : 1, facts.ignored().size());
        }
    }

    /** Its clock was slow when this run began to look. */
    @Test
    void thisRunsLookCountsWhateverItsTime() {
        NodeEvidence own = new EvidenceScene(3)
                .answering(1, 2, 3)
                .led()
                .node("cp-1", EvidenceScene.NOW.minus(Duration.ofDays(1)), Optional.empty());

        assertIs(
                Diagnosis.Healthy.class,
                RecoveryDecider.decide(RecoveryFacts.of(
                        Optional.of(own), List.of(), EvidenceScene.NOW, List.of())));
    }

    /** Of a node's evidence the newest counts, and this run's own before any file. */
    @Test
    void anEarlierLookAtANodeIsNotTaken() {
        NodeEvidence before = new EvidenceScene(3).empty(1).evidence().getFirst();
        NodeEvidence now =
                new EvidenceScene(3).answering(1).data(1, 100).evidence().getFirst();

        RecoveryFacts facts = RecoveryFacts.of(
                Optional.of(now), List.of(before), EvidenceScene.NOW, List.of("cp-2", "cp-3"));

        assertIs(Diagnosis.QuorumLostForGood.class, RecoveryDecider.decide(facts));
        assertEquals(1, facts.ignored().size());
    }

    /**
     * Every cluster of up to five voters, each of which answers, is down with its data or has an
     * empty disk, with every choice of disks that were seen; the operator gives up what was seen
     * empty. A survivor may begin only where the
     * others can never be a quorum again, and it is one that holds the most of those seen.
     */
    @Test
    void noSurvivorBeginsWhereTheOthersMayComeBack() {
        int begun = 0;
        for (int voters = 1; voters <= 5; voters++) {
            int quorum = voters / 2 + 1;
            for (int states = 0; states < Math.pow(3, voters); states++) {
                for (int seen = 0; seen < 1 << voters; seen++) {
                    EvidenceScene scene = new EvidenceScene(voters);
                    int wiped = 0;
                    int rest = states;
                    long most = -1;
                    for (int voter = 1; voter <= voters; voter++, rest /= 3) {
                        boolean looked = (seen >> (voter - 1) & 1) == 1;
                        switch (rest % 3) {
                            case 0 -> {
                                scene.answering(voter);
                                most = Math.max(most, 100);
                            }
                            case 1 -> {
                                if (looked) {
                                    scene.data(voter, 100 + voter);
                                    most = Math.max(most, 100 + voter);
                                }
                            }
                            default -> {
                                wiped++;
                                if (looked) {
                                    scene.empty(voter);
                                }
                            }
                        }
                    }
                    List<String> given = new ArrayList<>();
                    rest = states;
                    for (int voter = 1; voter <= voters; voter++, rest /= 3) {
                        if (rest % 3 == 2 && (seen >> (voter - 1) & 1) == 1) {
                            given.add(EvidenceScene.name(voter));
                        }
                    }
                    Diagnosis diagnosis = RecoveryDecider.decide(RecoveryFacts.of(
                            Optional.empty(), scene.evidence(), EvidenceScene.NOW, given));
                    if (diagnosis instanceof Diagnosis.QuorumLostForGood lost) {
                        assertTrue(voters - wiped < quorum, scene::toString);
                        if (!lost.survivors().isEmpty()) {
                            begun++;
                            assertEquals(
                                    most,
                                    lost.survivors()
                                            .getFirst()
                                            .progress()
                                            .orElseThrow()
                                            .kept());
                        }
                    } else if (diagnosis instanceof Diagnosis.AllLost) {
                        assertEquals(voters, wiped);
                    }
                }
            }
        }
        assertTrue(begun > 300, "begun: " + begun);
    }

    /** It is no voter: neither is it given up, nor does it count for a quorum. */
    @Test
    void aLearnerIsNoVoter() {
        Member learner = new Member(
                EvidenceScene.id(9),
                "cp-9",
                List.of(URI.create("https://cp-9:2380")),
                List.of(),
                true);
        NodeEvidence own = new EvidenceScene(1).answering(1).led().evidence().getFirst();
        List<MemberAnswer> answers = new ArrayList<>(own.answers());
        answers.add(new MemberAnswer(learner, Optional.empty(), "no route", Optional.empty()));
        NodeEvidence both = new NodeEvidence(
                own.node(),
                own.taken(),
                own.boot(),
                own.own(),
                answers,
                List.of(),
                List.of(),
                List.of());

        RecoveryFacts facts =
                RecoveryFacts.of(Optional.of(both), List.of(), EvidenceScene.NOW, List.of("cp-9"));

        assertEquals(List.of("cp-1"), labels(facts.voters()));
        assertEquals(List.of(), labels(facts.lost()));
        assertTrue(facts.hasQuorum());
        assertEquals("no route", facts.members().getLast().silence());
        assertEquals("", facts.members().getFirst().silence());
    }

    @Test
    void onlyVotersThatAreGivenUpAreLost() {
        EvidenceScene scene = new EvidenceScene(5).answering(1).data(1, 100).empty(2);

        assertEquals(List.of("cp-3"), labels(scene.facts("cp-1", "cp-3").lost()));
        assertEquals(List.of(), labels(scene.facts().lost()));
    }

    @Test
    void withoutAMemberThereIsNoQuorum() {
        assertFalse(new EvidenceScene(3).facts().hasQuorum());
    }

    @Test
    void theOnlyVoterThatLeadsIsAlive() {
        assertIs(
                Diagnosis.Healthy.class, new EvidenceScene(1).answering(1).led().decide());
    }

    /** Members of other revisions, or compacted otherwise, hold different keys by right. */
    @Test
    void sumsOfOtherRevisionsAreNotCompared() {
        assertIs(
                Diagnosis.Healthy.class,
                new EvidenceScene(3)
                        .answering(1, 2, 3)
                        .led()
                        .hash(1, 7)
                        .hash(2, 7)
                        .hash(3, new KvHash(51, 10, 8))
                        .decide());
        assertIs(
                Diagnosis.Healthy.class,
                new EvidenceScene(3)
                        .answering(1, 2, 3)
                        .led()
                        .hash(1, 7)
                        .hash(2, 7)
                        .hash(3, new KvHash(50, 11, 8))
                        .decide());
    }

    /** The one of another revision is neither right nor wrong. */
    @Test
    void onlyTheMemberThatDiffersIsCorrupt() {
        var corrupt = assertIs(
                Diagnosis.Corrupt.class,
                new EvidenceScene(5)
                        .answering(1, 2, 3, 4, 5)
                        .led()
                        .hash(1, 7)
                        .hash(2, 7)
                        .hash(3, 7)
                        .hash(4, new KvHash(60, 10, 9))
                        .hash(5, 8)
                        .decide());

        assertEquals(Set.of("cp-5"), corrupt.why().keySet());
        assertEquals("its keys add up to 00000008 at revision 50", corrupt.why().get("cp-5"));
        assertEquals(List.of("cp-5"), labels(corrupt.bad()));
    }

    @Test
    void withoutAQuorumOfEqualSumsNoMemberIsTakenForGood() {
        var corrupt = assertIs(
                Diagnosis.Corrupt.class,
                new EvidenceScene(2).answering(1, 2).led().hash(1, 7).hash(2, 8).decide());

        assertEquals(Set.of("cp-1", "cp-2"), corrupt.why().keySet());
        assertEquals(List.of(), labels(corrupt.bad()));
        assertEquals(List.of(), labels(corrupt.good()));
    }

    @Test
    void onlyTheAlarmForSpaceTellsOfSpace() {
        assertIs(
                Diagnosis.OutOfSpace.class,
                new EvidenceScene(1).answering(1).led().alarm(1, "NOSPACE").decide());
        assertIs(
                Diagnosis.Healthy.class,
                new EvidenceScene(1).answering(1).led().alarm(1, "LATER").decide());
    }

    /** The list of a database that applied more is newer. */
    @Test
    void theMembersAreThoseOfTheMostAdvancedDatabase() {
        NodeEvidence old = new EvidenceScene(5).data(1, 50).evidence().getFirst();
        NodeEvidence newer = new EvidenceScene(3).data(2, 90).evidence().getFirst();
        for (List<NodeEvidence> order : List.of(List.of(old, newer), List.of(newer, old))) {
            RecoveryFacts facts =
                    RecoveryFacts.of(Optional.empty(), order, EvidenceScene.NOW, List.of());
            assertTrue(facts.listed());
            assertEquals(3, facts.voters().size());
        }
    }

    @Test
    void earlierEvidenceOfANodeIsNotTakenAndItsBootIsTold() {
        NodeEvidence now = new EvidenceScene(3).data(1, 90).evidence().getFirst();
        for (String boot : List.of("boot-1", "boot-0")) {
            NodeEvidence before = new NodeEvidence(
                    now.node(),
                    now.taken().minusSeconds(1),
                    boot,
                    now.own(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of());
            String ignored = RecoveryFacts.of(
                            Optional.empty(), List.of(before, now), EvidenceScene.NOW, List.of())
                    .ignored()
                    .getFirst();
            assertEquals(boot.equals("boot-0"), ignored.endsWith(", of a later boot"), ignored);
        }
    }

    @Test
    void aMemberWithoutANameIsNamedByItsIdOrItsPeerUrl() {
        URI peer = URI.create("https://cp-1:2380");
        Member added = new Member(EvidenceScene.id(1), "", List.of(peer), List.of(), false);
        Member unknown = new Member(MemberId.NONE, "", List.of(peer), List.of(), false);

        assertEquals(EvidenceScene.id(1).toString(), ClusterLook.label(added));
        assertEquals("https://cp-1:2380", ClusterLook.label(unknown));
        assertEquals("cp-1", ClusterLook.label(EvidenceScene.member(1)));
        assertTrue(ClusterLook.names(added, EvidenceScene.id(1).toString()));
        assertFalse(ClusterLook.names(unknown, MemberId.NONE.toString()));
    }
}
