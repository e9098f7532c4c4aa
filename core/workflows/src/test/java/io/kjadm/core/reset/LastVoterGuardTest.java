package io.kjadm.core.reset;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** F110: the only voter of a cluster is reset. */
class LastVoterGuardTest {

    private static final String SNAPSHOTS = "/var/lib/kjadm-snapshots";

    private final ResetLab lab = new ResetLab();

    LastVoterGuardTest() {
        lab.voters(1);
    }

    private List<Path> snapshots() {
        return lab.files.list(Path.of(SNAPSHOTS));
    }

    @ParameterizedTest(name = "--force={0}")
    @ValueSource(booleans = {false, true})
    void withoutItsFlagItIsRefusedInPreflight(boolean force) {
        KjadmException refused = lab.refused("preflight", ResetLab.config(force, false));
        assertEquals(
                "a001 cp-1 (voter, https://cp-1:2380) is the only voter of its etcd cluster: resetting this node ends the cluster",
                refused.what());
        assertEquals(Optional.of(CommonReason.ONLY_VOTER), refused.reason());
        assertEquals(Set.of("--force-last-member"), Named.flags(refused.next()));
        assertTrue(refused.next().contains(SNAPSHOTS), refused.next());
        assertTrue(lab.etcd.writable());
    }

    @Test
    void itIsRefusedToASinglePhaseToo() {
        PhaseFailure failure = assertThrows(
                PhaseFailure.class,
                () -> lab.workflow(Confirmation.GIVEN)
                        .run(
                                lab.start(ResetLab.config(true, false)),
                                Selection.only("remove-etcd-member"),
                                lab.out));
        assertEquals(
                Set.of("--force-last-member"),
                Named.flags(assertInstanceOf(ClusterException.class, failure.getCause())
                        .next()));
        assertTrue(lab.files.exists(ResetLab.MANIFESTS.resolve("etcd.yaml")));
        assertEquals(List.of(), lab.waiter.awaited(), "nothing was stopped before that");
    }

    @Test
    void withItsFlagASnapshotStays() {
        lab.ended().conclude();
        Path snapshot = Path.of(SNAPSHOTS + "/etcd-c1-20260203-040506.db");
        assertEquals(List.of(snapshot), snapshots());
        assertEquals(FileMode.OWNER_ONLY, lab.files.mode(snapshot).orElseThrow());
        assertEquals(
                FileMode.PRIVATE_DIRECTORY, lab.files.mode(snapshot.getParent()).orElseThrow());
        assertEquals(32, lab.files.readBytes(snapshot).orElseThrow().length % 512);
        assertHasLine(
                "[reset] etcd's snapshot is kept in /var/lib/kjadm-snapshots. To restore it:"
                        + " etcdutl snapshot restore " + snapshot
                        + " --data-dir /var/lib/etcd --name cp-1"
                        + " --initial-cluster cp-1=https://cp-1:2380"
                        + " --initial-advertise-peer-urls https://cp-1:2380"
                        + " --bump-revision 1000000000 --mark-compacted",
                lab.out.text());
        assertEquals(List.of(), lab.etcd.changes(), "there is no other member to ask");
        lab.assertClean();
    }

    @Test
    void itsDataIsMovedAsideAsThatOfOthers() {
        lab.ended().conclude();
        assertEquals(
                Set.of(
                        "/var/lib/etcd.removed-TIME/wal/0.wal",
                        "/var/lib/etcd.removed-TIME/snap/db"),
                lab.keptIn("/var/lib/etcd."));
    }

    @Test
    void theApiServerStopsBeforeTheSnapshotIsTaken() {
        lab.files.refusing(
                SNAPSHOTS + "/etcd-c1-20260203-040506.db.part", "No space left on device");
        PhaseFailure failure = assertThrows(PhaseFailure.class, lab::ended);
        assertInstanceOf(KjadmException.class, failure.getCause());
        assertEquals(
                List.of("kube-apiserver, kube-controller-manager, kube-scheduler to stop"),
                lab.waiter.awaited());
    }

    @ParameterizedTest(name = "{0} bytes")
    @ValueSource(ints = {0, 31, 32, 4096, 4127, 3616})
    void aSnapshotThatIsNotWholeEndsTheResetAndTheNodeIsAsItWas(int bytes) {
        lab.etcd.cutSnapshots(bytes);
        Map<Path, String> before = lab.contents();
        PhaseFailure failure = assertThrows(PhaseFailure.class, lab::ended);
        ClusterException refused = assertInstanceOf(ClusterException.class, failure.getCause());
        assertEquals("no snapshot of etcd could be taken", refused.what());
        assertEquals(
                before, lab.contents(), "manifests are back, and no part of a snapshot is left");
        lab.etcd.cutSnapshots(4 * 4096 + 32);
        lab.ended().conclude();
        lab.assertClean();
    }

    @Test
    void anEtcdThatDoesNotAnswerLeavesItsDataInstead() {
        lab.reachable = false;
        ResetRun done = lab.ended();
        ClusterException told = assertThrows(ClusterException.class, done::conclude);
        assertEquals(Set.of("/var/lib/etcd.kept-20260203-040506"), Named.files(told.why()));
        assertEquals(List.of(), snapshots());
        lab.assertClean();
    }

    @Test
    void theFlagDoesNotMakeUpForALostQuorum() {
        lab.voters(2);
        lab.etcd.stop(lab.etcd.id("cp-2"));
        KjadmException refused = lab.refused("remove-etcd-member", ResetLab.config(false, true));
        assertEquals(Set.of("--force", "--force-last-member"), Named.flags(refused.next()));
    }

    @Test
    void theFlagChangesNothingForOneOfSeveral() {
        lab.voters(2);
        lab.ended().conclude();
        assertFalse(lab.listed("cp-1"));
        assertEquals(List.of(), snapshots());
    }

    @Test
    void whoBecomesTheLastWhileItLeavesIsRefused() {
        lab.voters(2);
        lab.etcdPod("cp-2");
        boolean[] other = {false};
        lab.waiter.eachTime(() -> {
            if (!other[0] && !lab.files.exists(ResetLab.MANIFESTS.resolve("kube-apiserver.yaml"))) {
                other[0] = true;
                lab.etcd.removeByOther(lab.etcd.id("cp-1"));
            }
        });
        PhaseFailure failure = assertThrows(PhaseFailure.class, lab::reset);
        assertEquals(
                Set.of("--force", "--force-last-member"),
                Named.flags(failure.getCause().getMessage()));
        assertTrue(lab.files.exists(ResetLab.MANIFESTS.resolve("kube-apiserver.yaml")), "put back");
        assertFalse(lab.files.exists(ResetLab.ASIDE));
    }

    @Test
    void aDryRunFetchesNoSnapshotAndLeavesTheClusterAlone() {
        Map<Path, String> before = lab.contents();
        lab.dryRun(ResetLab.config(false, true)).conclude();
        assertEquals(before, lab.contents());
        assertTrue(lab.etcd.writable());
        String part = SNAPSHOTS + "/etcd-c1-20260203-040506.db.part";
        assertTrue(lab.out.in("dryrun").toString().contains(part), lab.out.text());
    }

    @Test
    void aDryRunIsRefusedWithoutTheFlagToo() {
        assertThrows(PhaseFailure.class, () -> lab.dryRun(ResetLab.config(true, false)));
    }

    @Test
    void aWorkerNeedsNoFlagAndAsksNobody() {
        lab.files.deleteContents(ResetLab.MANIFESTS);
        lab.files.deleteContents(ResetLab.DATA);
        lab.reset().conclude();
        assertEquals(List.of(), lab.accesses);
        assertTrue(lab.waiter.elapsed().compareTo(Duration.ofSeconds(1)) < 0);
    }
}
