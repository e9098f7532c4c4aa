package io.kjadm.core.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.store.MemoryStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

class SnapshotMetricsTest {

    private static final Path FILE = Path.of("/var/lib/node_exporter/kjadm.prom");
    private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);

    private final MemoryFiles files = new MemoryFiles();
    private final RecordingReporter out = new RecordingReporter();
    private final SnapshotMetrics metrics = new SnapshotMetrics(files, FILE, out);

    private static SnapshotManifest taken() {
        SimulatedCluster etcd = SimulatedCluster.ofVoters(1, "3.6.14");
        SnapshotSave save = new SnapshotSave(
                etcd,
                new SnapshotCatalog(new MemoryStore()),
                new VirtualWaiter(),
                new SplittableRandom(1),
                new RecordingReporter());
        return save.save(save.choose(EtcdHealth.ask(etcd)), SnapshotEncoding.NONE, Map.of());
    }

    private List<String> series() {
        return files.text(FILE.toString())
                .lines()
                .filter(line -> !line.startsWith("#"))
                .toList();
    }

    @Test
    void aRunThatSucceedsTellsOfItsSnapshot() {
        SnapshotManifest manifest = taken();

        metrics.succeeded(manifest, Optional.of(Level.SUM), Duration.ofMillis(12345), NOW);

        assertEquals(
                List.of(
                        "kjadm_etcd_backup_last_success_timestamp_seconds{kind=\"full\"} %d"
                                .formatted(manifest.taken().getEpochSecond()),
                        "kjadm_etcd_backup_covered_revision 102",
                        "kjadm_etcd_backup_bytes " + manifest.stored().bytes(),
                        "kjadm_etcd_backup_duration_seconds 12.345",
                        "kjadm_etcd_backup_verified_timestamp_seconds{level=\"sum\"} 1800000000",
                        "kjadm_etcd_backup_last_run_timestamp_seconds 1800000000",
                        "kjadm_etcd_backup_last_run_success 1"),
                series());
        assertEquals(FileMode.WORLD_READABLE, files.mode(FILE).orElseThrow());
        assertEquals(
                7,
                files.text(FILE.toString())
                        .lines()
                        .filter(line -> line.startsWith("# TYPE"))
                        .count());
    }

    @Test
    void aRunThatFailsKeepsWhatTheLastOneTold() {
        metrics.succeeded(taken(), Optional.of(Level.DRILL), Duration.ofSeconds(1), NOW);
        List<String> before = series();

        metrics.failed(NOW.plusSeconds(3600));

        assertEquals(before.subList(0, 5), series().subList(0, 5));
        assertEquals(
                List.of(
                        "kjadm_etcd_backup_last_run_timestamp_seconds 1800003600",
                        "kjadm_etcd_backup_last_run_success 0"),
                series().subList(5, 7));
    }

    @Test
    void eachLevelKeepsItsOwnTime() {
        metrics.succeeded(taken(), Optional.of(Level.DRILL), Duration.ofSeconds(1), NOW);
        metrics.succeeded(
                taken(), Optional.of(Level.SUM), Duration.ofSeconds(1), NOW.plusSeconds(60));

        assertTrue(series().containsAll(List.of(
                "kjadm_etcd_backup_verified_timestamp_seconds{level=\"drill\"} 1800000000",
                "kjadm_etcd_backup_verified_timestamp_seconds{level=\"sum\"} 1800000060")));
    }

    @Test
    void theFirstRunThatFailsTellsNoSuccess() {
        metrics.failed(NOW);
        assertEquals(2, series().size());
        assertEquals(List.of(), out.warnings());
    }

    @Test
    void aFileThatCannotBeWrittenIsWarnedOfAndFailsNothing() {
        metrics.succeeded(taken(), Optional.of(Level.SUM), Duration.ofSeconds(1), NOW);
        List<String> before = series();
        files.refusing(FILE.toString(), "the disk is full");
        SnapshotManifest manifest = taken();

        metrics.succeeded(manifest, Optional.of(Level.SUM), Duration.ofSeconds(1), NOW);
        metrics.failed(NOW.plusSeconds(60));

        assertEquals(before, series());
        assertEquals(
                List.of(
                        "the metrics of this run were not written, and snapshot %s is stored: cannot change %2$s: the disk is full. Next: check %2$s, its directory and its disk; the next run writes it again"
                                .formatted(manifest.name(), FILE),
                        "the metrics of this run were not written, and it still shows the previous run: cannot change %1$s: the disk is full. Next: check %1$s, its directory and its disk; the next run writes it again"
                                .formatted(FILE)),
                out.warnings());
    }

    @Test
    void aFolderInItsPlaceIsWarnedOfToo() {
        files.withDirectory(FILE.toString());

        metrics.failed(NOW);

        assertEquals(1, out.warnings().size(), out.warnings().toString());
    }

    @Test
    void onlyLinesOfItsOwnFormAreKept() {
        files.with(FILE.toString(), """
                kjadm_etcd_backup_bytes 17
                kjadm_etcd_backup_bytes{$(id>/tmp/x)} 1
                kjadm_etcd_backup_covered_revision $(id)
                kjadm_etcd_backup_verified_timestamp_seconds{level="sum"} 5
                kjadm_etcd_backup_verified_timestamp_seconds{level="`id`"} 5
                kjadm_etcd_backup_else 1
                """);

        metrics.failed(NOW);

        assertEquals(
                List.of(
                        "kjadm_etcd_backup_bytes 17",
                        "kjadm_etcd_backup_verified_timestamp_seconds{level=\"sum\"} 5",
                        "kjadm_etcd_backup_last_run_timestamp_seconds 1800000000",
                        "kjadm_etcd_backup_last_run_success 0"),
                series());
    }

    /** The folder belongs to another account, which has put a link there. */
    @Test
    void noLinkIsFollowed(@TempDir Path folder) throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "a key");
        Path link = Files.createSymbolicLink(folder.resolve("kjadm.prom"), victim);

        new SnapshotMetrics(new DiskFiles(), link, out).failed(NOW);

        assertEquals("a key", Files.readString(victim));
        assertEquals(1, out.warnings().size());
    }
}
