package io.kjadm.etcd.recover;

import static io.kjadm.etcd.recover.EvidenceScene.labels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.recover.NodeEvidence.OwnMember;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** How evidence of several nodes makes one picture. */
class RecoveryFactsTest {

    @Test
    void aNameThatNobodyHasIsTold() {
        assertEquals(
                Set.of("cp-9"),
                new EvidenceScene(3).answering(1).facts("cp-9", "cp-2").unknown());
    }

    @Test
    void membersOfTwoClustersAreNeverJoined() {
        var split = assertInstanceOf(
                Diagnosis.Split.class,
                new EvidenceScene(3)
                        .answering(1, 2)
                        .led()
                        .dataOf(3, EvidenceScene.id(3), "c2")
                        .decide());

        assertEquals(Set.of("c1", "c2"), split.clusters().keySet());
        assertEquals(Set.of("cp-1", "cp-2"), split.clusters().get("c1"));
        assertEquals(Set.of("cp-3"), split.clusters().get("c2"));
        assertEquals(Set.of("c1"), split.led());
    }

    /** An old member comes back beside the cluster that a survivor has begun. */
    @Test
    void whoAnswersInAMembersPlaceOutOfAnotherClusterIsASplit() {
        var split = assertInstanceOf(
                Diagnosis.Split.class,
                new EvidenceScene(3).answering(2).data(2, 80).stranger("c2", 1).decide());

        assertEquals(Set.of("c2"), split.led());
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

        assertInstanceOf(
                Diagnosis.QuorumLostForNow.class,
                RecoveryDecider.decide(RecoveryFacts.of(
                        Optional.empty(), evidence, EvidenceScene.NOW, List.of())));
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

            assertInstanceOf(Diagnosis.Healthy.class, RecoveryDecider.decide(facts));
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

        assertInstanceOf(
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

        assertInstanceOf(Diagnosis.QuorumLostForGood.class, RecoveryDecider.decide(facts));
        assertEquals(1, facts.ignored().size());
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
        RecoveryFacts facts = new EvidenceScene(1)
                .answering(1)
                .led()
                .beside(new MemberAnswer(learner, Optional.empty(), "no route", Optional.empty()))
                .facts("cp-9");

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
                    new NodeEvidence.Look(now.node(), now.taken().minusSeconds(1), boot),
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

    @Test
    void whoAnswersWithoutANameIsCalledByItsClientUrlOrItsId() {
        URI client = URI.create("https://10.0.0.9:2379");
        for (List<URI> clients : List.of(List.of(client), List.<URI>of())) {
            EvidenceScene scene = new EvidenceScene(1).answering(1).led();
            MemberAnswer first = scene.evidence().getFirst().answers().getFirst();
            Member unnamed = new Member(EvidenceScene.id(9), "", List.of(), clients, false);
            MemberAnswer answer = new MemberAnswer(unnamed, first.status(), "", Optional.empty());

            assertEquals(
                    Set.of(
                            "cp-1",
                            clients.isEmpty() ? EvidenceScene.id(9).toString() : client.toString()),
                    scene.beside(answer).facts().clusters().get(EvidenceScene.CLUSTER));
        }
    }

    /** Then only manifests name the members, and all of them do. */
    @Test
    void aDatabaseThatCannotBeReadListsNoMembers() {
        RecoveryFacts facts = new EvidenceScene(3).damaged(1).facts();

        assertFalse(facts.listed());
        assertEquals(List.of("cp-1", "cp-2", "cp-3"), labels(facts.voters()));
        assertInstanceOf(Diagnosis.QuorumLostForNow.class, RecoveryDecider.decide(facts));
    }

    /** How much it applied is not known, so any other list counts more. */
    @Test
    void membersOfADatabaseThatIsNotWholeCountLeast() {
        EvidenceScene five = new EvidenceScene(5).data(1, 100);
        DiskEvidence.Held whole = (DiskEvidence.Held)
                five.evidence().getFirst().own().orElseThrow().disk();
        DiskEvidence.Held damaged = new DiskEvidence.Held(
                whole.dataDir(),
                whole.log(),
                new DatabaseEvidence.Damaged("it ends early"),
                whole.members());

        RecoveryFacts alone = new EvidenceScene(3).disk(1, damaged).facts();
        RecoveryFacts both = new EvidenceScene(3).disk(1, damaged).data(2, 1).facts();

        assertTrue(alone.listed());
        assertEquals(5, alone.voters().size());
        assertEquals(3, both.voters().size());
    }

    /** No node tells of another one: each voter is known by its own manifest. */
    @Test
    void aManifestNamesItsOwnMember() {
        List<NodeEvidence> nodes = new ArrayList<>();
        for (int number = 1; number <= 2; number++) {
            nodes.add(new EvidenceScene(1)
                    .node(
                            EvidenceScene.name(number),
                            EvidenceScene.NOW,
                            Optional.of(new OwnMember(
                                    EvidenceScene.name(number),
                                    Set.copyOf(EvidenceScene.member(number).peerUrls()),
                                    List.of(),
                                    new DiskEvidence.Unreadable("/var/lib/etcd", "")))));
        }

        RecoveryFacts facts =
                RecoveryFacts.of(Optional.empty(), nodes, EvidenceScene.NOW, List.of());

        assertEquals(List.of("cp-1", "cp-2"), labels(facts.voters()));
        assertInstanceOf(Diagnosis.QuorumLostForNow.class, RecoveryDecider.decide(facts));
    }

    /** Its peer URL has changed since the list was made. */
    @Test
    void aDiskIsThatOfTheMemberWhoseDataItHolds() {
        EvidenceScene scene = new EvidenceScene(3).data(1, 100);
        OwnMember own = scene.evidence().getFirst().own().orElseThrow();
        NodeEvidence moved = scene.node(
                "cp-1",
                EvidenceScene.NOW,
                Optional.of(new OwnMember(
                        own.name(),
                        Set.of(URI.create("https://10.0.0.1:2380")),
                        own.startedWith(),
                        own.disk())));

        var lost = assertInstanceOf(
                Diagnosis.QuorumLostForGood.class,
                RecoveryDecider.decide(RecoveryFacts.of(
                        Optional.of(moved),
                        List.of(),
                        EvidenceScene.NOW,
                        List.of("cp-2", "cp-3"))));

        assertEquals(List.of("cp-1"), labels(lost.survivors()));
    }

    @Test
    void aDamagedLogTellsNoCluster() {
        RecoveryFacts facts = new EvidenceScene(3)
                .data(2, 90)
                .disk(
                        1,
                        new DiskEvidence.Held(
                                "/var/lib/etcd",
                                new LogEvidence.Damaged("it has a hole"),
                                new DatabaseEvidence.Whole(5, 9, 3, 4096),
                                List.of()))
                .facts("cp-1", "cp-3");

        assertEquals(Set.of("cp-2"), facts.clusters().get(EvidenceScene.CLUSTER));
        assertInstanceOf(Diagnosis.QuorumLostForGood.class, RecoveryDecider.decide(facts));
    }

    @Test
    void whyAMemberDoesNotAnswerIsTakenFromTheNodeThatKnows() {
        EvidenceScene scene = new EvidenceScene(2).answering(1);
        NodeEvidence knows = scene.node("cp-1", EvidenceScene.NOW, Optional.empty());
        NodeEvidence other = new NodeEvidence(
                new NodeEvidence.Look("cp-9", EvidenceScene.NOW, "boot-1"),
                Optional.empty(),
                List.of(new MemberAnswer(
                        EvidenceScene.member(2), Optional.empty(), "", Optional.empty())),
                List.of(),
                List.of(),
                List.of());

        RecoveryFacts facts =
                RecoveryFacts.of(Optional.of(other), List.of(knows), EvidenceScene.NOW, List.of());

        assertEquals("connection refused", facts.members().getLast().silence());
    }
}
