package io.kjadm.etcd.recover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.recover.MemberFacts.Loss;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What a look at a disk shows of the loss of a member, and what it does not. */
class SeenDiskTest {

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
        assertInstanceOf(
                Diagnosis.AllLost.class,
                RecoveryDecider.decide(
                        allEmpty(empty(List.of(), owner, List.of()), Duration.ZERO)));
        for (DiskEvidence.Empty unsure : List.of(
                empty(List.of("/var/lib/etcd.replaced-20260927-000000"), owner, List.of()),
                empty(List.of(), owner, List.of("/var/lib/etcd")),
                empty(List.of(), Optional.empty(), List.of()))) {
            RecoveryFacts facts = allEmpty(unsure, Duration.ZERO);
            assertInstanceOf(Diagnosis.QuorumLostForNow.class, RecoveryDecider.decide(facts));
            assertTrue(unsure.doubt().isPresent());
        }
    }

    @Test
    void anOldDiskSaysNothingOfNow() {
        DiskEvidence.Empty empty = empty(List.of(), Optional.of(""), List.of());

        assertInstanceOf(
                Diagnosis.AllLost.class,
                RecoveryDecider.decide(allEmpty(empty, RecoveryFacts.FRESH)));
        assertInstanceOf(
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
}
