package io.kjadm.core.etcd.version;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.core.etcd.version.NodeChangesTest.begin;
import static io.kjadm.core.etcd.version.NodeChangesTest.rollBack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.Problem;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** An upgrade was interrupted, and its files are no longer as it left them when the next run comes. */
class ForeignChangeTest {

    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");
    private static final KubernetesPaths PATHS = KubernetesPaths.standard();
    private static final Path ETCD = PATHS.manifest("etcd");
    private static final Path SERVER = PATHS.manifest("kube-apiserver");
    private static final Path FLAGS = PATHS.kubeletFlags();
    private static final Path TMP = Path.of("/etc/kubernetes/tmp");

    private final MemoryFiles files = copy();

    private static MemoryFiles copy() {
        return new MemoryFiles()
                .with(ETCD.toString(), "etcd 1")
                .with(SERVER.toString(), "server 1");
    }

    private static void upgrade(HostFiles disk) {
        NodeChanges changes = begin(disk);
        changes.write("etcd", ETCD, "etcd 2", FileMode.OWNER_ONLY);
        changes.done("etcd");
        changes.write("kube-apiserver", SERVER, "server 2", FileMode.OWNER_ONLY);
        changes.done("kube-apiserver");
    }

    private static void cut(Runnable run) {
        try {
            run.run();
        } catch (PowerCut e) {
            // as it is to be
        }
    }

    private static void assertAsBefore(MemoryFiles disk) {
        assertEquals("etcd 1", disk.text(ETCD.toString()));
        assertEquals("server 1", disk.text(SERVER.toString()));
    }

    /** A run was killed, kubeadm has finished it, and the next upgrade fails months later. */
    @Test
    void aRollBackDoesNotLeadToBeforeWhatAnotherProgramHasDone() {
        begin(files).write("kube-apiserver", SERVER, "server 2", FileMode.OWNER_ONLY);
        files.with(SERVER.toString(), "server 2 of kubeadm");
        assertTrue(NodeChanges.unfinished(files, PATHS).isEmpty());

        NodeChanges next = NodeChanges.begin(files, PATHS, "v1.37.0", "v1.38.0", NOW);
        assertEquals("v1.37.0", next.from());
        assertEquals(List.of(), next.changedSteps());
        next.write("kube-apiserver", SERVER, "server 3", FileMode.OWNER_ONLY);
        next.giveUp();
        next.restore("kube-apiserver");
        assertEquals("server 2 of kubeadm", files.text(SERVER.toString()));
    }

    @Test
    void whatAnOvertakenUpgradeHasKeptIsMovedAsideForGood() {
        upgrade(files);
        files.with(SERVER.toString(), "by hand");
        NodeChanges next = begin(files);
        Path aside = TMP.resolve("kjadm-interrupted-2026-02-03-04-05-06");
        Problem told = next.overtaken().orElseThrow().problem();
        assertEquals(Optional.of(UpgradeReason.FILES_CHANGED_SINCE), told.reason());
        assertEquals(Set.of(SERVER.toString()), Named.files(told.why()));
        assertEquals(Set.of(aside.toString()), Named.files(told.next()));
        assertEquals("etcd 1", files.text(aside.resolve("01-etcd.yaml").toString()));
        assertEquals(
                "server 1", files.text(aside.resolve("02-kube-apiserver.yaml").toString()));
        assertFalse(next.isDone("etcd"), "a roll-back would not know what it was");
        for (int day = 0; day < 5; day++) {
            begin(files).write("etcd", ETCD, "etcd of day " + day, FileMode.OWNER_ONLY);
            begin(files).end(NOW.plus(Duration.ofDays(day)));
        }
        assertTrue(files.exists(aside.resolve("02-kube-apiserver.yaml")));
    }

    @Tag("power-cut")
    @Test
    void wherePowerGoesWhileItIsMovedAsideNothingIsLost() {
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            MemoryFiles disk = copy();
            upgrade(disk);
            disk.with(SERVER.toString(), "by hand");
            cut(() -> upgrade(socket.plug(HostFiles.class, disk)));
            upgrade(disk);
            rollBack(disk);
            assertEquals("by hand", disk.text(SERVER.toString()));
            assertEquals("etcd 2", disk.text(ETCD.toString()), "as this run has found it");
            assertTrue(disk.files().stream()
                    .filter(path -> path.toString().endsWith("02-kube-apiserver.yaml"))
                    .anyMatch(path -> disk.text(path.toString()).equals("server 1")));
        }
    }

    /** It would take back the change of a person who has helped a node whose roll-back was killed. */
    @Test
    void anInterruptedRollBackIsLeftToWhoHasChangedAFile() {
        upgrade(files);
        begin(files).giveUp();
        files.with(SERVER.toString(), "by hand");
        assertReason(
                UpgradeReason.FILES_CHANGED_SINCE,
                HostException.class,
                () -> NodeChanges.unfinished(files, PATHS));
        HostException refused = assertThrows(HostException.class, () -> begin(files));
        assertEquals(Optional.of(UpgradeReason.FILES_CHANGED_SINCE), refused.reason());
        Path kept = TMP.resolve("kjadm-upgrade/02-kube-apiserver.yaml");
        assertEquals(
                "to finish it, run 'cp %s %s'; to keep the files as they are, move %s away; then run the same command again"
                        .formatted(kept, SERVER, kept.getParent()),
                refused.next());

        files.with(SERVER.toString(), files.text(kept.toString()));
        rollBack(files);
        assertAsBefore(files);
    }

    @Test
    void whatWasPutBackByHandIsNotTakenForDone() {
        upgrade(files);
        files.with(SERVER.toString(), "server 1");
        NodeChanges again = begin(files);
        assertTrue(again.isDone("etcd"));
        assertFalse(again.isDone("kube-apiserver"));
        again.write("kube-apiserver", SERVER, "server 2", FileMode.OWNER_ONLY);
        assertTrue(again.isDone("kube-apiserver"));
        rollBack(files);
        assertAsBefore(files);
    }

    @Test
    void aManifestThatIsMissingIsPutBackByARollBack() {
        upgrade(files);
        files.delete(SERVER);
        assertFalse(begin(files).isDone("kube-apiserver"));
        rollBack(files);
        assertAsBefore(files);
    }

    @Test
    void eachVersionThatWasWrittenIsKnown() {
        begin(files).write("etcd", ETCD, "etcd 2", FileMode.OWNER_ONLY);
        NodeChanges further = NodeChanges.begin(files, PATHS, "v1.37.0", "v1.37.1", NOW);
        further.write("etcd", ETCD, "etcd 3", FileMode.OWNER_ONLY);
        // as where power goes before it is written
        files.with(ETCD.toString(), "etcd 2");
        assertEquals(Optional.empty(), begin(files).overtaken());
        rollBack(files);
        assertAsBefore(files);
    }

    /** It has no sums, and an upgrade of kjadm must not make its files somebody else's. */
    @Test
    void aJournalOfAnEarlierReleaseIsResumedAsItWas() {
        upgrade(files);
        Path journal = TMP.resolve("kjadm-upgrade/journal.json");
        String noted = files.text(journal.toString());
        String former = noted.replaceAll("(?s),\\s*\"written\" : \\[[^]]*\\]", "");
        assertNotEquals(noted, former);
        files.with(journal.toString(), former).with(SERVER.toString(), "server 2 of before");
        NodeChanges again = begin(files);
        assertTrue(again.isDone("kube-apiserver"));
        again.write("kube-apiserver", SERVER, "server 3", FileMode.OWNER_ONLY);
        // as where power goes before it is written
        files.with(SERVER.toString(), "server 2 of before");
        assertEquals(Optional.empty(), begin(files).overtaken());
        rollBack(files);
        assertAsBefore(files);
    }

    @Test
    void whatAnotherProgramWritesForAStepIsNotCompared() {
        NodeChanges changes = begin(files);
        changes.keep("certs", FLAGS);
        changes.keep("certs", SERVER);
        changes.done("certs");
        files.with(SERVER.toString(), "renewed");
        assertTrue(begin(files).isDone("certs"));
    }
}
