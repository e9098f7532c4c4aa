package io.kjadm.core.recover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.restore.RestoreReason;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.recover.Diagnosis;
import io.kjadm.etcd.recover.EvidenceScene;
import io.kjadm.etcd.recover.NodeEvidence;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Which node may begin a new cluster, and which may not. */
class SurvivorRestoreTest {

    private static final Path DATA_DIR = Path.of("/var/lib/etcd");

    private final RecordingReporter out = new RecordingReporter();

    private RestoreSource source(boolean acceptLoss, RecoveryReport report) {
        return new SurvivorRestore(acceptLoss, out).source(report, DATA_DIR);
    }

    /** Decided on that node. */
    private static RecoveryReport on(String node, EvidenceScene scene, String... lost) {
        List<NodeEvidence> evidence = new ArrayList<>(scene.evidence());
        evidence.sort((one, other) ->
                Boolean.compare(other.node().equals(node), one.node().equals(node)));
        return RecoveryReport.of(
                Optional.of(evidence.getFirst()),
                evidence.subList(1, evidence.size()),
                EvidenceScene.NOW,
                List.of(lost),
                RecoveryWords.STACKED);
    }

    private ClusterException refused(RecoveryReport report) {
        return assertThrows(ClusterException.class, () -> source(false, report));
    }

    @Test
    void theOnlySurvivorMay() {
        RecoveryReport report = on("cp-1", new EvidenceScene(3).data(1, 100), "cp-2", "cp-3");

        RestoreSource source = source(false, report);

        assertEquals("survivor-cp-1", source.name());
        assertTrue(source.ownData());
        assertFalse(source.summed());
        assertEquals(
                List.of(
                        "The data of cp-1 are kept: entry 100, revision 90",
                        "Lost is what only the lost members had; all that cp-1 has is kept: what is committed up to entry 100 is kept (revision 90)",
                        "Gone for good: cp-2, cp-3. If they are not, they form a second cluster"),
                source.describe());
    }

    @Test
    void oneThatMayWaitForOthersMustNot() {
        ClusterException refusal = refused(on("cp-1", new EvidenceScene(3).data(1, 100), "cp-2"));

        assertEquals(
                "only where the quorum is lost for good a survivor may start a new cluster; here it is QuorumLostForNow",
                refusal.why());
    }

    /** F86: which one holds the most is told with the figures. */
    @Test
    void oneThatLagsIsRefusedUnlessTheLossIsAccepted() {
        RecoveryReport report =
                on("cp-1", new EvidenceScene(5).data(1, 100).data(2, 130), "cp-3", "cp-4", "cp-5");

        ClusterException refusal = refused(report);
        assertEquals(Optional.of(RestoreReason.LOSES_DATA), refusal.reason());
        assertEquals(Set.of("cp-1", "cp-2"), Named.members(refusal.why()), refusal::toString);
        assertEquals(
                Set.of("cp-1", "cp-2", "cp-3", "cp-4", "cp-5"),
                Named.members(source(true, report).describe().toString()));
    }

    @Test
    void theOneThatHoldsTheMostMay() {
        RecoveryReport report =
                on("cp-2", new EvidenceScene(5).data(1, 100).data(2, 130), "cp-3", "cp-4", "cp-5");

        assertEquals("survivor-cp-2", source(false, report).name());
        String plan = report.plans().getFirst().steps().toString();
        assertTrue(
                plan.contains(
                        "on cp-2: kjadm etcd recover --declare-lost cp-1 --declare-lost cp-3 --declare-lost cp-4 --declare-lost cp-5 --apply"),
                plan);
    }

    /** The other survivors are given up by name; what is known of their data still counts. */
    @Test
    void oneThatIsGivenUpAndHeldMoreIsInTheWay() {
        RecoveryReport report = on(
                "cp-1",
                new EvidenceScene(5).data(1, 100).data(2, 130),
                "cp-2",
                "cp-3",
                "cp-4",
                "cp-5");

        assertEquals(Set.of("cp-1", "cp-2"), Named.members(refused(report).why()));
        assertEquals("survivor-cp-1", source(true, report).name());
    }

    /** With a comma and a blank between them the program takes the second one for a word. */
    @Test
    void eachOneThatNobodyHasSeenIsNamedByAFlagOfItsOwn() {
        RecoveryReport report =
                on("cp-1", new EvidenceScene(7).data(1, 100), "cp-4", "cp-5", "cp-6", "cp-7");

        assertEquals(
                "or, if it is gone for good, add --declare-lost cp-2 --declare-lost cp-3",
                report.plans().getFirst().steps().getLast());
    }

    @Test
    void oneThatNobodyHasSeenIsInTheWay() {
        RecoveryReport report =
                on("cp-1", new EvidenceScene(5).data(1, 100), "cp-3", "cp-4", "cp-5");

        assertEquals(Set.of("cp-2"), Named.members(refused(report).why()));
        assertEquals("survivor-cp-1", source(true, report).name());
    }

    @Test
    void anEtcdThatHasNotAppliedItsLogHasToRunFirst() {
        RecoveryReport report =
                on("cp-1", new EvidenceScene(3).lagging(1, 90, 95, 4), "cp-2", "cp-3");

        assertEquals(
                "its database lacks 4 entries that are committed, which etcd applies when it runs",
                refused(report).why());
        assertEquals("survivor-cp-1", source(true, report).name());
    }

    @Test
    void aNodeWithoutDataIsNone() {
        RecoveryReport report =
                on("cp-2", new EvidenceScene(3).data(1, 100).empty(2).empty(3), "cp-2", "cp-3");

        assertTrue(report.diagnosis() instanceof Diagnosis.QuorumLostForGood);
        assertEquals(Optional.of(RestoreReason.NO_DATA_HERE), refused(report).reason());
    }

    @Test
    void aNameThatNoMemberHasIsRefused() {
        ClusterException refusal = assertThrows(
                ClusterException.class,
                () -> on("cp-1", new EvidenceScene(3).data(1, 100), "cp-2", "node3"));

        assertEquals("no member is called node3", refusal.what());
        assertEquals("the members are cp-1, cp-2, cp-3", refusal.why());
    }

    @Test
    void aRestoreOfASnapshotIsNotGoneOnWith() {
        SurvivorRestore survivor = new SurvivorRestore(false, out);

        assertEquals(Optional.empty(), survivor.begun("20261120t102459z-3f1c", DATA_DIR));
        assertEquals(
                "the database of cp-1",
                survivor.begun("survivor-cp-1", DATA_DIR).orElseThrow().title());
    }

    /** What is told on machines without Kubernetes can be done there. */
    @Test
    void plansForAnEtcdOfItsOwnNameItsCommands() {
        List<EvidenceScene> scenes = List.of(
                new EvidenceScene(3).data(1, 100),
                new EvidenceScene(5).data(1, 100).data(2, 130),
                new EvidenceScene(3).empty(1).empty(2).empty(3));
        Set<String> commands = new TreeSet<>();
        for (EvidenceScene scene : scenes) {
            String plans = RecoveryReport.of(
                            Optional.empty(),
                            scene.evidence(),
                            EvidenceScene.NOW,
                            List.of(),
                            RecoveryWords.STANDALONE)
                    .plans()
                    .toString();
            commands.addAll(Named.commands(plans));
            assertFalse(plans.contains("control-plane node"), plans);
        }
        assertEquals(
                Set.of(
                        "journalctl -u etcd -e",
                        "kjadm etcd certs check",
                        "kjadm etcd certs renew",
                        "kjadm etcd join",
                        "kjadm etcd recover",
                        "kjadm etcd recover --collect",
                        "kjadm etcd recover --declare-lost",
                        "kjadm etcd reset --endpoints",
                        "kjadm etcd snapshot list --store",
                        "kjadm etcd snapshot restore",
                        "kjadm etcd snapshot verify",
                        "systemctl status etcd"),
                commands);
    }
}
