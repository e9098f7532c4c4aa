package io.kjadm.core.etcd.version;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.host.Owner;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.journal.Unfinished;
import io.kjadm.core.journal.UnfinishedOperations;
import io.kjadm.core.journal.UpgradeStep;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.check.WalFile;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A file that an upgrade changes is the old one or the new one at any moment, and can go back. */
class NodeChangesTest {

    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");
    private static final KubernetesPaths PATHS = KubernetesPaths.standard();
    private static final Path ETCD = PATHS.manifest("etcd");
    private static final Path SERVER = PATHS.manifest("kube-apiserver");
    private static final Path SCHEDULER = PATHS.manifest("kube-scheduler");
    private static final Path FLAGS = PATHS.kubeletFlags();
    private static final Path TMP = Path.of("/etc/kubernetes/tmp");

    private final MemoryFiles files =
            new MemoryFiles().with(ETCD.toString(), "etcd 1").with(SERVER.toString(), "server 1");

    static NodeChanges begin(HostFiles disk) {
        return NodeChanges.begin(disk, PATHS, "v1.36.2", "v1.37.0", NOW);
    }

    private static void upgrade(HostFiles disk) {
        NodeChanges changes = begin(disk);
        changes.write("etcd", ETCD, "etcd 2", FileMode.OWNER_ONLY);
        changes.done("etcd");
        changes.write("kube-apiserver", SERVER, "server 2", FileMode.OWNER_ONLY);
        changes.write("kube-apiserver", FLAGS, "flags", FileMode.WORLD_READABLE);
        changes.done("kube-apiserver");
    }

    static void rollBack(HostFiles disk) {
        NodeChanges changes = begin(disk);
        changes.giveUp();
        for (String step : changes.changedSteps()) {
            changes.restore(step);
            changes.restored(step);
        }
        changes.end(NOW);
    }

    @Test
    void whatIsEqualAlreadyIsNotChanged() {
        NodeChanges changes = begin(files);
        assertFalse(changes.write("etcd", ETCD, "etcd 1", FileMode.OWNER_ONLY));
        assertEquals(List.of(), changes.changedSteps());
        assertTrue(changes.write("etcd", ETCD, "etcd 2", FileMode.OWNER_ONLY));
        assertEquals(List.of(ETCD), changes.changedBy("etcd"));
    }

    @Tag("power-cut")
    @Test
    void wherePowerGoesTheSameCommandGoesOn() {
        int steps = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            MemoryFiles disk = copy();
            steps = socket.step();
            cut(() -> upgrade(socket.plug(HostFiles.class, disk)));
            assertTrue(disk.exists(ETCD) && disk.exists(SERVER), "never without a manifest");
            upgrade(disk);
            assertEquals("etcd 2", disk.text(ETCD.toString()));
            assertEquals("server 2", disk.text(SERVER.toString()));
            rollBack(disk);
            assertAsBefore(disk);
        }
        assertTrue(steps > 8, "cuts: " + steps);
    }

    @Tag("power-cut")
    @Test
    void wherePowerGoesInARollBackItIsGoneOnWith() {
        int steps = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            MemoryFiles disk = copy();
            upgrade(disk);
            steps = socket.step();
            cut(() -> rollBack(socket.plug(HostFiles.class, disk)));
            if (NodeChanges.unfinished(disk, PATHS).isPresent()) {
                rollBack(disk);
            }
            assertAsBefore(disk);
        }
        assertTrue(steps > 5, "cuts: " + steps);
    }

    private static void cut(Runnable run) {
        try {
            run.run();
        } catch (PowerCut e) {
            // as it is to be
        }
    }

    private static MemoryFiles copy() {
        return new MemoryFiles()
                .with(ETCD.toString(), "etcd 1")
                .with(SERVER.toString(), "server 1");
    }

    private static void assertAsBefore(MemoryFiles disk) {
        assertEquals("etcd 1", disk.text(ETCD.toString()));
        assertEquals("server 1", disk.text(SERVER.toString()));
        assertFalse(disk.exists(FLAGS), "it was not there before");
    }

    /** What was there before cannot start any longer, as the cluster's version has risen. */
    @Tag("power-cut")
    @Test
    void whatARollBackTookAwayCanBePutInPlaceAgainWhereverPowerGoes() {
        int steps = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            MemoryFiles disk = copy();
            upgrade(disk);
            steps = socket.step();
            cut(() -> {
                NodeChanges changes = begin(socket.plug(HostFiles.class, disk));
                changes.giveUp();
                changes.restore("etcd");
                changes.redo("etcd");
            });
            NodeChanges changes = begin(disk);
            changes.redo("etcd");
            assertEquals("etcd 2", disk.text(ETCD.toString()));
            changes.restore("etcd");
            assertEquals("etcd 1", disk.text(ETCD.toString()));
            changes.redo("etcd");
            changes.redo("etcd");
            assertEquals("etcd 2", disk.text(ETCD.toString()));
        }
        assertTrue(steps > 4, "cuts: " + steps);
    }

    @Test
    void aRollBackLeadsToWhatWasThereBeforeTheFirstOfTheRuns() {
        upgrade(files);
        begin(files).write("kube-scheduler", SCHEDULER, "scheduler 2", FileMode.OWNER_ONLY);
        NodeChanges further = NodeChanges.begin(files, PATHS, "v1.37.0", "v1.37.1", NOW);
        assertEquals("v1.36.2", further.from());
        assertFalse(further.isDone("etcd"), "another version is wanted now");
        further.write("etcd", ETCD, "etcd 3", FileMode.OWNER_ONLY);
        rollBack(files);
        assertAsBefore(files);
    }

    @Test
    void theSameVersionAgainKnowsWhatWasDone() {
        upgrade(files);
        assertTrue(begin(files).isDone("etcd"));
        assertEquals(
                new NodeChanges.Unfinished("v1.36.2", "v1.37.0", false),
                NodeChanges.unfinished(files, PATHS).orElseThrow());
    }

    @Test
    void oneThatHasChangedNothingIsNotUnfinished() {
        begin(files);
        assertTrue(NodeChanges.unfinished(files, PATHS).isEmpty());
    }

    @Test
    void whoGaveUpCountsNothingAsDone() {
        upgrade(files);
        begin(files).giveUp();
        NodeChanges again = begin(files);
        assertTrue(again.rollingBack());
        assertFalse(again.isDone("etcd"));
    }

    @Test
    void whatIsKeptIsForRootOnly() {
        upgrade(files);
        files.files().stream()
                .filter(path -> path.startsWith(TMP))
                .forEach(path -> assertEquals(
                        FileMode.OWNER_ONLY, files.mode(path).orElseThrow(), path.toString()));
    }

    /** Where the control plane does without root, a key is its component's, wherever power goes. */
    @Test
    void aRollBackLeavesAFileToItsOwner() {
        Owner user = new Owner(991, 991);
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            MemoryFiles disk = new MemoryFiles().with(files);
            disk.own(SERVER, user, FileMode.OWNER_ONLY);
            begin(disk).keep("certs", SERVER);
            disk.write(SERVER, "server 2", FileMode.OWNER_ONLY);
            disk.own(SERVER, user, FileMode.OWNER_ONLY);

            cut(() -> begin(socket.plug(HostFiles.class, disk)).restore("certs"));
            begin(disk).restore("certs");

            assertEquals("server 1", disk.text(SERVER.toString()));
            assertEquals(user, disk.owner(SERVER), socket::toString);
        }
    }

    /** The machine goes at the last step of an upgrade, and nobody runs it again for months. */
    @Test
    void anUpgradeThatLacksNothingButItsEndIsNotGoneOnWithToAnotherVersion() {
        upgrade(files);
        NodeChanges later = NodeChanges.begin(
                files, PATHS, "v1.37.0", "v1.38.0", NOW.plus(Duration.ofDays(90)));
        assertEquals(
                Optional.of(TMP.resolve("kjadm-upgraded-2026-05-04-04-05-06")), later.followed());
        later.write("etcd", ETCD, "etcd 3", FileMode.OWNER_ONLY);
        assertEquals(List.of("etcd"), later.changedSteps());
        later.restore("etcd");
        assertEquals("etcd 2", files.text(ETCD.toString()));
        assertEquals("v1.37.0", later.from());
    }

    @Test
    void theNewestThreeAreKept() {
        for (int day = 0; day < 5; day++) {
            files.with(ETCD.toString(), "etcd of day " + day);
            upgrade(files);
            begin(files).end(NOW.plus(Duration.ofDays(day)));
        }
        assertEquals(
                List.of(
                        TMP.resolve("kjadm-upgraded-2026-02-05-04-05-06"),
                        TMP.resolve("kjadm-upgraded-2026-02-06-04-05-06"),
                        TMP.resolve("kjadm-upgraded-2026-02-07-04-05-06")),
                files.list(TMP));
        assertTrue(NodeChanges.unfinished(files, PATHS).isEmpty());
    }

    @Test
    void aRunThatChangedNothingLeavesNothing() {
        assertEquals(Optional.empty(), begin(files).end(NOW));
        assertEquals(List.of(), files.list(TMP));
    }

    @Test
    void aJournalThatCannotBeReadIsNotPassedOver() {
        files.with(TMP.resolve("kjadm-upgrade/journal.json").toString(), "{\"from\":");
        HostException refused = assertThrows(HostException.class, () -> begin(files));
        assertEquals(Set.of("/etc/kubernetes/tmp/kjadm-upgrade"), Named.files(refused.next()));
    }

    @Test
    void aKeptFileThatIsGoneIsTold() {
        upgrade(files);
        files.list(TMP.resolve("kjadm-upgrade")).stream()
                .filter(path -> path.toString().endsWith("etcd.yaml"))
                .forEach(files::delete);
        NodeChanges changes = begin(files);
        changes.giveUp();
        HostException lost = assertThrows(HostException.class, () -> changes.restore("etcd"));
        assertTrue(lost.what().contains(ETCD.toString()), lost.what());
    }

    /** It may be weeks old by the next run. */
    @Test
    void aSnapshotOfARunThatChangedNothingIsNotKept() {
        NodeChanges changes = begin(files);
        files.with(changes.snapshotFile().toString(), "db");
        changes.snapshotTaken();
        NodeChanges later =
                NodeChanges.begin(files, PATHS, "v1.36.2", "v1.37.0", NOW.plus(Duration.ofDays(9)));
        assertTrue(later.snapshot().isEmpty());
        assertFalse(files.exists(later.snapshotFile()));
    }

    @Test
    void whatTheLastUpgradeKeptStaysWhereTheClockWentBack() {
        for (int day = 4; day >= 0; day--) {
            files.with(ETCD.toString(), "etcd of day " + day);
            upgrade(files);
            Path kept = begin(files).end(NOW.plus(Duration.ofDays(day))).orElseThrow();
            assertTrue(files.list(TMP).contains(kept), kept::toString);
        }
        assertEquals(3, files.list(TMP).size());
    }

    @Test
    void aSnapshotThatWasRemovedDoesNotCount() {
        NodeChanges changes = begin(files);
        assertTrue(changes.snapshot().isEmpty());
        files.with(changes.snapshotFile().toString(), "db");
        changes.snapshotTaken();
        changes.write("etcd", ETCD, "etcd 2", FileMode.OWNER_ONLY);
        assertEquals(changes.snapshotFile(), begin(files).snapshot().orElseThrow());
        files.delete(changes.snapshotFile());
        assertTrue(begin(files).snapshot().isEmpty());
    }

    @Test
    void theJournalTellsWhoseMemberIsChanged() {
        files.with(
                "/var/lib/etcd/member/wal/0.wal",
                WalFile.of(new MemberIds("c1", new MemberId(0xa1))));
        begin(files).keep("etcd", ETCD);
        Unfinished found = UnfinishedOperations.on(files).all().getFirst();
        assertEquals(Optional.of("c1"), found.owner().clusterId());
        assertEquals(Optional.of(new MemberId(0xa1)), found.owner().memberId());
    }

    /** Each of the two puts back what it has kept, and both keep etcd's manifest. */
    @Test
    void anotherOperationsChangesAreNotContinued() {
        NodeChanges.Place etcd =
                NodeChanges.Place.of(PATHS, Operation.ETCD_VERSION, Failpoints.Fuse.none());
        NodeChanges.begin(files, etcd, "etcd 3.5.30", "etcd 3.6.8", NOW);
        assertTrue(NodeChanges.unfinished(files, PATHS).isEmpty(), "nothing is changed yet");
        files.with("/etc/kubernetes/manifests/etcd.yaml", "old");
        NodeChanges.begin(files, etcd, "etcd 3.5.30", "etcd 3.6.8", NOW)
                .keep("etcd", Path.of("/etc/kubernetes/manifests/etcd.yaml"));
        assertThrows(HostException.class, () -> NodeChanges.unfinished(files, PATHS));
        assertThrows(
                HostException.class,
                () -> NodeChanges.begin(files, PATHS, "v1.36.2", "v1.37.0", NOW));
        assertTrue(NodeChanges.unfinished(files, etcd).isPresent());
    }

    @Test
    void everyStepOfAnUpgradeHasItsFailpoints() {
        for (UpgradeStep step : UpgradeStep.values()) {
            MemoryFiles disk = new MemoryFiles().with(ETCD.toString(), "etcd 1");
            NodeChanges.Place faulty = NodeChanges.Place.of(
                    PATHS,
                    Operation.UPGRADE,
                    Failpoints.from(Map.of(Failpoints.VARIABLE, step + ":before=error"))
                            .fuse(new VirtualWaiter()));
            assertThrows(
                    HostException.class,
                    () -> {
                        NodeChanges changes =
                                NodeChanges.begin(disk, faulty, "v1.36.2", "v1.37.0", NOW);
                        changes.snapshotTaken();
                        changes.keep("etcd", ETCD);
                        changes.done("etcd");
                        changes.giveUp();
                    },
                    step.name());
        }
    }
}
