package io.kjadm.etcd.recover;

import static io.kjadm.etcd.recover.EvidenceScene.labels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which members are corrupt, and which copies are good. */
class CorruptMembersTest {

    @Test
    void theMemberThatHoldsSomethingElseThanAQuorumIsToBeReplaced() {
        var corrupt = assertInstanceOf(
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
        var corrupt = assertInstanceOf(
                Diagnosis.Corrupt.class,
                new EvidenceScene(3).answering(1, 2).led().hash(1, 7).hash(2, 8).decide());

        assertEquals(List.of(), corrupt.bad());
        assertEquals(Set.of("cp-1", "cp-2"), corrupt.why().keySet());
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void anAlarmOrADamagedTreeNamesTheBadCopy(boolean alarm) {
        EvidenceScene scene = new EvidenceScene(3).answering(1, 2, 3).led();
        var corrupt = assertInstanceOf(
                Diagnosis.Corrupt.class,
                (alarm ? scene.alarm(2, "CORRUPT") : scene.damaged(2)).decide());

        assertEquals(List.of("cp-2"), labels(corrupt.bad()));
    }

    /** Members of other revisions, or compacted otherwise, hold different keys by right. */
    @Test
    void sumsOfOtherRevisionsAreNotCompared() {
        assertInstanceOf(
                Diagnosis.Healthy.class,
                new EvidenceScene(3)
                        .answering(1, 2, 3)
                        .led()
                        .hash(1, 7)
                        .hash(2, 7)
                        .hash(3, new KvHash(51, 10, 8))
                        .decide());
        assertInstanceOf(
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
        var corrupt = assertInstanceOf(
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
        var corrupt = assertInstanceOf(
                Diagnosis.Corrupt.class,
                new EvidenceScene(2).answering(1, 2).led().hash(1, 7).hash(2, 8).decide());

        assertEquals(Set.of("cp-1", "cp-2"), corrupt.why().keySet());
        assertEquals(List.of(), labels(corrupt.bad()));
        assertEquals(List.of(), labels(corrupt.good()));
    }

    @Test
    void onlyDamagedCopiesAreForAHuman() {
        var corrupt = assertInstanceOf(
                Diagnosis.Corrupt.class,
                new EvidenceScene(3).data(2, 50).damaged(1).decide("cp-2", "cp-3"));

        assertEquals(List.of(), corrupt.good());
        assertEquals(Set.of("cp-1"), corrupt.why().keySet());
    }

    /** Two voters, of whom one does not answer, cannot show that the third one is wrong. */
    @Test
    void aVoterThatDoesNotAnswerIsNoGoodCopy() {
        var corrupt = assertInstanceOf(
                Diagnosis.Corrupt.class,
                new EvidenceScene(3).answering(1, 2).led().alarm(2, "CORRUPT").decide());

        assertEquals(List.of(), labels(corrupt.bad()));
        assertEquals(List.of(), labels(corrupt.good()));
        assertEquals(Set.of("cp-2"), corrupt.why().keySet());
    }

    /** Two of five voters hold the same; a learner that holds it too makes no quorum of them. */
    @Test
    void aLearnersSumCountsForNoQuorum() {
        Member learner = new Member(
                EvidenceScene.id(9),
                "cp-9",
                List.of(URI.create("https://cp-9:2380")),
                List.of(),
                true);
        var corrupt = assertInstanceOf(
                Diagnosis.Corrupt.class,
                new EvidenceScene(5)
                        .answering(1, 2, 3, 4, 5)
                        .led()
                        .hash(1, 7)
                        .hash(2, 7)
                        .hash(3, 8)
                        .beside(new MemberAnswer(
                                learner, Optional.empty(), "", Optional.of(new KvHash(50, 10, 7))))
                        .decide());

        assertEquals(List.of(), labels(corrupt.bad()));
        assertEquals(Set.of("cp-1", "cp-2", "cp-3", "cp-9"), corrupt.why().keySet());
    }
}
