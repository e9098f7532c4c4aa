package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.config.ResetConfiguration;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.leave.RemovalState.Reason;
import io.kjadm.core.etcd.leave.ResetEntry;
import io.kjadm.core.etcd.leave.ResetJournal;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.journal.ResetState;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.core.phase.Selection;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** F111: a reset is cut short, and the same command is given once more. */
class ResetResumeTest {

    private static final ResetConfiguration USUAL = ResetLab.config(false, false);
    private static final ResetConfiguration LAST = ResetLab.config(false, true);
    private static final ResetConfiguration FORCED = ResetLab.config(true, false);
    private static final Path JOURNAL = ResetLab.ASIDE.resolve("journal.json");

    /** What a node may be when it is reset. */
    private enum Scene {
        LEADER_OF_THREE(USUAL, 15, lab -> {}),
        FOLLOWER_OF_THREE(USUAL, 15, lab -> lab.etcdPod("cp-2")),
        ONE_OF_TWO(USUAL, 15, lab -> lab.voters(2)),
        LAST_MEMBER(LAST, 15, lab -> lab.voters(1)),
        NOT_LISTED(USUAL, 12, lab -> lab.etcd.removeByOther(lab.etcd.id("cp-1"))),
        LEARNER_WHOSE_JOIN_DIED(USUAL, 15, ResetResumeTest::learner),
        NEVER_STARTED(USUAL, 12, lab -> {
            lab.reachable = false;
            lab.files.deleteContents(ResetLab.DATA);
            lab.etcdPod("cp-1", "--initial-cluster-state=new");
        }),
        FORCED_AS_ETCD_IS_SILENT(FORCED, 12, lab -> lab.reachable = false),
        WORKER(USUAL, 5, lab -> {
            lab.files.deleteContents(ResetLab.MANIFESTS);
            lab.files.deleteContents(ResetLab.DATA);
        });

        private final ResetConfiguration config;
        private final int leastSteps;
        private final Consumer<ResetLab> setting;
        /** Forced, or with nobody to be removed from. */
        private final boolean mayLeaveDoubt;

        Scene(ResetConfiguration config, int leastSteps, Consumer<ResetLab> setting) {
            this.config = config;
            this.leastSteps = leastSteps;
            this.setting = setting;
            this.mayLeaveDoubt = !config.equals(USUAL);
        }

        ResetLab lab() {
            ResetLab lab = new ResetLab();
            setting.accept(lab);
            return lab;
        }
    }

    private static void learner(ResetLab lab) {
        MemberId learner = lab.etcd.plant(SimulatedCluster.peerUrl("cp-4"), true);
        lab.etcdPod("cp-4");
        new JournalFile(lab.files, Path.of("/etc/kubernetes/tmp"))
                .write(new JoinEntry(
                        JoinState.ADDED,
                        "earlier",
                        "c1",
                        "cp-4",
                        SimulatedCluster.peerUrl("cp-4"),
                        lab.waiter.now(),
                        List.of(),
                        Optional.of(learner),
                        Optional.empty(),
                        0,
                        false));
    }

    /** How a node and its cluster are in the end. */
    private record End(Set<String> files, List<String> members, boolean doubtful) {

        static End of(ResetLab lab, ResetRun done) {
            return new End(
                    lab.keptIn("/"),
                    lab.etcd.writable()
                            ? lab.etcd.members().stream()
                                    .map(member -> member.id().toString())
                                    .toList()
                            : List.of(),
                    doubtful(done));
        }

        private static boolean doubtful(ResetRun done) {
            try {
                done.conclude();
                return false;
            } catch (ClusterException e) {
                return true;
            }
        }
    }

    private static ResetRun whole(ResetLab lab, ResetConfiguration config) {
        return lab.workflow(Confirmation.GIVEN).run(lab.start(config), ResetLab.WHOLE, lab.out);
    }

    @Tag("power-cut")
    @ParameterizedTest
    @EnumSource
    void thePowerMayGoBehindEveryChange(Scene scene) {
        ResetLab undisturbed = scene.lab();
        boolean hadData = undisturbed.files.exists(ResetLab.DATA.resolve("member"));
        End expected = End.of(undisturbed, whole(undisturbed, scene.config));
        assertFalse(expected.files().stream()
                .anyMatch(file -> file.endsWith(".part") || file.contains("kjadm-reset")));
        int steps = 0;
        List<String> failures = new ArrayList<>();
        for (PowerCut.Socket socket : PowerCut.moments()) {
            ResetLab lab = scene.lab();
            if (!lab.cut(scene.config, socket)) {
                break;
            }
            steps = socket.step();
            try {
                boolean data = lab.files.exists(ResetLab.DATA.resolve("member"));
                assertFalse(
                        hadData
                                && !data
                                && lab.files.exists(ResetLab.MANIFESTS.resolve("etcd.yaml")),
                        "etcd would start without its data");
                assertFalse(
                        hadData && !data && !scene.mayLeaveDoubt && lab.own().isPresent(),
                        "it is listed and has lost its data");
                if (!lab.keptIn("/").equals(expected.files())) {
                    assertEquals(expected, End.of(lab, whole(lab, scene.config)));
                }
            } catch (RuntimeException | AssertionError e) {
                failures.add("%s: %s".formatted(socket, e));
            }
        }
        assertEquals(List.of(), failures);
        assertTrue(steps + PowerCut.STRIDE > scene.leastSteps, "only %d steps".formatted(steps));
    }

    @Tag("power-cut")
    @ParameterizedTest
    @EnumSource
    void thePowerMayGoTwice(Scene scene) {
        ResetLab undisturbed = scene.lab();
        End expected = End.of(undisturbed, whole(undisturbed, scene.config));
        List<String> failures = new ArrayList<>();
        for (int first = 1; first < 40; first += 4) {
            for (int second = PowerCut.first(); second < 30; second += 3 * PowerCut.STRIDE) {
                ResetLab lab = scene.lab();
                PowerCut.Socket one = PowerCut.at(first);
                PowerCut.Socket two = PowerCut.at(second);
                lab.cut(scene.config, one);
                try {
                    if (!lab.keptIn("/").equals(expected.files())) {
                        lab.cut(scene.config, two);
                    }
                    if (!lab.keptIn("/").equals(expected.files())) {
                        assertEquals(expected, End.of(lab, whole(lab, scene.config)));
                    }
                } catch (RuntimeException | AssertionError e) {
                    failures.add("%s; %s: %s".formatted(one, two, e));
                }
            }
        }
        assertEquals(List.of(), failures);
    }

    /** In place of the end of the program. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    private static Failpoints failpoint(String value) {
        return Failpoints.from(Map.of(Failpoints.VARIABLE, value), code -> {
            throw new Killed();
        });
    }

    @ParameterizedTest
    @EnumSource
    void everyStateHasItsFailpoints(ResetState state) {
        Scene scene = state == ResetState.SNAPSHOT ? Scene.LAST_MEMBER : Scene.LEADER_OF_THREE;
        ResetLab undisturbed = scene.lab();
        End expected = End.of(undisturbed, whole(undisturbed, scene.config));
        for (String moment : List.of("before", "after")) {
            ResetLab lab = scene.lab();
            lab.failpoints = failpoint(state + ":" + moment + "=exit137");
            assertThrows(Killed.class, () -> whole(lab, scene.config), moment);
            Optional<ResetState> noted =
                    ResetJournal.read(lab.files, JOURNAL).map(ResetEntry::state);
            assertEquals(
                    moment.equals("after"),
                    noted.filter(state::equals).isPresent(),
                    noted.toString());
            lab.failpoints = Failpoints.none();
            lab.boot();
            assertEquals(expected, End.of(lab, whole(lab, scene.config)), moment);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RETIRING", "HANDOVER", "REMOVING"})
    void anErrorWhileTheMemberIsListedPutsTheManifestsBack(ResetState state) {
        ResetLab lab = new ResetLab();
        lab.failpoints = failpoint(state + ":before=error");
        Map<Path, String> before = lab.contents();
        PhaseFailure failure = assertThrows(PhaseFailure.class, lab::reset);
        assertEquals(
                "failpoint %s before".formatted(state),
                assertInstanceOf(HostException.class, failure.getCause()).what());
        assertEquals(before, lab.contents());
        assertTrue(lab.listed("cp-1"));
    }

    @ParameterizedTest
    @EnumSource(names = {"REMOVED", "STOPPED", "CLEANING"})
    void anErrorBehindTheRemovalIsGoneOnFrom(ResetState state) {
        ResetLab lab = new ResetLab();
        lab.failpoints = failpoint(state + ":after=error");
        assertThrows(PhaseFailure.class, lab::reset);
        assertFalse(lab.listed("cp-1"));
        lab.failpoints = Failpoints.none();
        // etcd's manifest is still there in the first of them, so etcd is asked once more
        lab.reachable = state == ResetState.REMOVED;
        lab.reset().conclude();
        lab.assertClean();
    }

    @Test
    void theJournalNamesMemberAndClusterAndIsForRootOnly() {
        ResetLab lab = new ResetLab();
        lab.failpoints = failpoint("REMOVING:after=exit137");
        assertThrows(Killed.class, lab::reset);
        ResetEntry entry = ResetJournal.read(lab.files, JOURNAL).orElseThrow();
        assertEquals(ResetState.REMOVING, entry.state());
        assertEquals(lab.etcd.id("cp-1"), entry.memberId().orElseThrow());
        assertEquals("c1", entry.clusterId().orElseThrow());
        assertEquals(FileMode.OWNER_ONLY, lab.files.mode(JOURNAL).orElseThrow());
        assertEquals(FileMode.PRIVATE_DIRECTORY, lab.files.mode(ResetLab.ASIDE).orElseThrow());
    }

    @Test
    void whatTheJournalNamesLeavesThoughNothingElseTellsWhoItIs() {
        ResetLab lab = new ResetLab();
        lab.failpoints = failpoint("REMOVING:after=exit137");
        assertThrows(Killed.class, lab::reset);
        MemberId own = lab.etcd.id("cp-1");
        lab.etcd.stop(own);
        lab.etcdPod("cp-1", "--initial-advertise-peer-urls=https://elsewhere:2380");
        lab.failpoints = Failpoints.none();
        lab.reset().conclude();
        assertEquals("remove " + own, lab.etcd.changes().getLast());
    }

    @ParameterizedTest
    @EnumSource(names = {"RETIRING", "HANDOVER", "REMOVING", "REMOVED"})
    void aJournalOfAnotherClusterIsRefused(ResetState state) {
        ResetLab lab = new ResetLab();
        lab.apiServerIsTakenOut();
        lab.noted(state, "b001", "c9");
        KjadmException refused = lab.refused();
        assertEquals(Optional.of(Reason.OTHER_CLUSTER), refused.reason());
        assertEquals("the etcd of this node is of cluster c1", refused.why());
        assertEquals(
                "if this node was set up again since, delete the directory kjadm-reset in /etc/kubernetes/tmp, then reset again",
                refused.next());
    }

    @Test
    void forceDoesNotOverruleAJournalOfAnotherCluster() {
        ResetLab lab = new ResetLab();
        lab.apiServerIsTakenOut();
        lab.noted(ResetState.REMOVED, "b001", "c9");
        lab.refused("remove-etcd-member", ResetLab.config(true, true));
    }

    private static ResetLab silentWithDataOf(long member) {
        ResetLab lab = new ResetLab();
        lab.dataOf(member);
        lab.apiServerIsTakenOut();
        lab.noted(ResetState.REMOVED, "a001", "c1");
        lab.reachable = false;
        return lab;
    }

    @Test
    void thatItsMemberHasLeftHoldsForTheDataOfThatMember() {
        ResetLab lab = silentWithDataOf(0xa001);
        lab.reset().conclude();
        lab.assertClean();
    }

    @Test
    void thatItsMemberHasLeftDoesNotHoldForTheDataOfAnother() {
        ResetLab lab = silentWithDataOf(0xa004);
        assertThrows(PhaseFailure.class, lab::reset);
        assertTrue(lab.files.exists(ResetLab.DATA.resolve("member/wal/0.wal")));
        assertTrue(lab.files.exists(ResetLab.MANIFESTS.resolve("etcd.yaml")));
    }

    @Test
    void aResetThatEndedIsForgottenWhenTheNodeIsInAnotherCluster() {
        ResetLab lab = new ResetLab();
        lab.noted(ResetState.CLEANING, "b001", "c9");
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
    }

    @Test
    void aTornJournalCountsAsNone() {
        ResetLab lab = new ResetLab();
        lab.files.with(JOURNAL.toString(), "{\"state\": \"REM");
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
        lab.assertClean();
    }

    @Test
    void aResetThatIsRefusedTheSecondTimePutsBackWhatTheFirstHasTakenOut() {
        ResetLab lab = new ResetLab();
        Map<Path, String> before = lab.contents();
        lab.failpoints = failpoint("HANDOVER:after=exit137");
        assertThrows(Killed.class, lab::reset);
        assertFalse(lab.files.exists(ResetLab.MANIFESTS.resolve("kube-apiserver.yaml")));
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.failpoints = Failpoints.none();
        PhaseFailure failure = assertThrows(PhaseFailure.class, lab::reset);
        assertEquals(
                Optional.of(Reason.NEEDED_FOR_QUORUM),
                assertInstanceOf(KjadmException.class, failure.getCause()).reason());
        assertEquals(before, lab.contents());
    }

    @Test
    void anEtcdWhoseDataAForcedResetMovedIsNotPutBack() {
        ResetLab lab = new ResetLab();
        lab.reachable = false;
        int step = 0;
        do {
            step++;
            lab = new ResetLab();
            lab.reachable = false;
        } while (lab.cut(FORCED, new PowerCut.Socket(step))
                && lab.files.exists(ResetLab.DATA.resolve("member")));
        assertFalse(lab.files.exists(ResetLab.DATA.resolve("member")));
        PhaseFailure failure = assertThrows(PhaseFailure.class, lab::reset);
        assertInstanceOf(ClusterException.class, failure.getCause());
        assertFalse(lab.files.exists(ResetLab.MANIFESTS.resolve("etcd.yaml")));
    }

    @Test
    void dataThatCannotBeMovedBecauseOfAMountIsKeptInIt() {
        ResetLab lab = new ResetLab();
        lab.waiter.eachTime(() -> lab.files.refusing(place(lab), "Invalid cross-device link"));
        lab.files.refusing(place(lab), "Invalid cross-device link");
        lab.reset().conclude();
        assertEquals(
                Set.of(
                        "/var/lib/etcd/member.removed-TIME/snap/db",
                        "/var/lib/etcd/member.removed-TIME/wal/0.wal"),
                lab.keptIn("/var/lib/etcd"));
        assertInstanceOf(
                DataDirectory.Empty.class, new DataDirReader(lab.files).read(ResetLab.DATA));
    }

    private static String place(ResetLab lab) {
        return new DataDirBackup(lab.files, ResetLab.DATA)
                .place("removed", lab.waiter.now())
                .toString();
    }

    @Test
    void dataThatCannotBeRenamedIsNotDeletedAndTriedAgain() {
        ResetLab lab = new ResetLab();
        lab.files.refusing("/var/lib/etcd/member", "I/O error");
        PhaseFailure failure = assertThrows(PhaseFailure.class, lab::reset);
        assertInstanceOf(HostException.class, failure.getCause());
        assertTrue(lab.files.exists(ResetLab.DATA.resolve("member/wal/0.wal")));
        lab.files.refusing("/var/lib/etcd/member", null);
        lab.reset().conclude();
        lab.assertClean();
    }

    @Test
    void anEtcdThatWouldNotStopIsStoppedByTheNextReset() {
        ResetLab lab = new ResetLab();
        lab.runtime.refusals.put("etcd", 1000);
        assertThrows(ClusterException.class, () -> lab.reset().conclude());
        assertTrue(lab.files.exists(JOURNAL));
        assertTrue(lab.files.exists(ResetLab.DATA.resolve("member/wal/0.wal")));
        lab.runtime.refusals.clear();
        lab.reset().conclude();
        lab.assertClean();
    }

    @Test
    void singlePhasesEndTheSameWay() {
        ResetLab lab = new ResetLab();
        for (String phase : List.of("remove-etcd-member", "remove-etcd-member", "cleanup-node")) {
            lab.workflow(Confirmation.GIVEN).run(lab.start(USUAL), Selection.only(phase), lab.out);
        }
        assertFalse(lab.listed("cp-1"));
        lab.assertClean();
    }
}
