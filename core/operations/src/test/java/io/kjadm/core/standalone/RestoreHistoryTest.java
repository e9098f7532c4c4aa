package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.recover.SurvivorRestore;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.core.standalone.RealSites.Site;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.history.PrefixRules;
import io.kjadm.etcd.history.PrefixRules.Snapshot;
import io.kjadm.etcd.history.Recorder;
import io.kjadm.etcd.history.Recording;
import io.kjadm.etcd.recover.ClusterLook;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Clients write while a snapshot is taken, and go on; then all members are lost, one machine gets
 * the snapshot, and clients write again while the other machines are reset. Or two of three are
 * lost, and the third one goes on alone. What was restored has to be a prefix of the first history,
 * and the second one goes on from there.
 */
@EnabledIfSystemProperty(named = "kjadm.history.seconds", matches = "\\d+")
class RestoreHistoryTest {

    @TempDir
    Path folder;

    static List<EtcdBinary> versions() {
        // a revision is used again where etcdutl cannot raise it
        return RealRestoreTest.versions().stream()
                .filter(binary -> binary.version().atLeast(3, 5))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("versions")
    void whatIsRestoredIsAPrefix(EtcdBinary binary) throws IOException {
        try (RealSites lab = new RealSites(folder, binary)) {
            Site first = lab.together();
            Recorder recorder = new Recorder(
                    () -> lab.sites.stream().map(site -> site.client).toList(), Recorder.anySeed());
            SnapshotManifest[] saved = new SnapshotManifest[1];
            Recording before = recorder.record(
                    () -> {
                        lab.clock.pause("", "", Duration.ofSeconds(3));
                        recorder.during("save a snapshot", () -> saved[0] = save(lab, first));
                        lab.clock.pause("", "", Duration.ofSeconds(3));
                    },
                    () -> end(lab));
            before.requireRight("snapshot, before a restore", binary);

            lab.sites.forEach(site -> new DiskFiles().deleteTree(site.dataDir));
            first.restore(first.stored(saved[0]), "cp-2", "cp-3", ClusterLook.NO_OTHERS);
            lab.awaitMembers(first, 1);
            requirePrefix(
                    lab,
                    first,
                    recorder,
                    before,
                    new Snapshot(
                            before.mark("save a snapshot").from(),
                            saved[0].plain().content().revision()),
                    "a restore");
        }
    }

    /** The leader holds all that was acknowledged, so nothing of it may be lost. */
    @ParameterizedTest
    @MethodSource("versions")
    void aSurvivorThatLedKeepsAllThatWasAcknowledged(EtcdBinary binary) throws IOException {
        try (RealSites lab = new RealSites(folder, binary)) {
            lab.together();
            Site survivor = lab.leader();
            List<Site> others =
                    lab.sites.stream().filter(site -> site != survivor).toList();
            Recorder recorder = new Recorder(
                    () -> lab.sites.stream().map(site -> site.client).toList(), Recorder.anySeed());
            Recording before = recorder.recordLoss(
                    () -> {
                        lab.clock.pause("", "", Duration.ofSeconds(3));
                        recorder.during("lose two of three", () -> others.forEach(Site::kill));
                        lab.clock.pause("", "", Duration.ofSeconds(3));
                    },
                    () -> Stream.concat(
                                    // it runs on, and writes nothing without a quorum
                                    Stream.of(copyOf(survivor.dataDir)),
                                    others.stream().map(site -> site.dataDir))
                            .toList());
            before.requireRight("two of three are lost, before a recovery", binary);

            others.forEach(site -> new DiskFiles().deleteTree(site.dataDir));
            String[] lost = others.stream().map(site -> site.name).toArray(String[]::new);
            survivor.restore(
                    new SurvivorRestore(false, lab.out)
                            .source(survivor.recover(lost), survivor.dataDir),
                    lost);
            lab.awaitMembers(survivor, 1);
            requirePrefix(
                    lab,
                    survivor,
                    recorder,
                    before,
                    new Snapshot(Long.MAX_VALUE, Long.MAX_VALUE),
                    "a recovery");
        }
    }

    /** Clients write again while the other machines are reset. */
    private static void requirePrefix(
            RealSites lab,
            Site first,
            Recorder recorder,
            Recording before,
            Snapshot snapshot,
            String what)
            throws IOException {
        Recorder again = recorder.afterRestore(() -> List.of(first.client));
        Recording after = again.record(
                () -> {
                    for (Site other : lab.sites) {
                        if (other != first) {
                            again.during(
                                    "reset " + other.name,
                                    () -> other.reset(List.of(first.client)));
                        }
                    }
                },
                () -> end(lab));
        after.requireRight("reset of the others, after " + what, lab.binary);
        assertEquals(List.of(), PrefixRules.violations(before, snapshot, again.begin(), after));
    }

    private Path copyOf(Path dataDir) throws IOException {
        Path copy = folder.resolve("copy");
        Path wal = Files.createDirectories(copy.resolve("member").resolve("wal"));
        try (Stream<Path> files = Files.list(dataDir.resolve("member").resolve("wal"))) {
            for (Path file : files.toList()) {
                Files.copy(file, wal.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    private static List<Path> end(RealSites lab) {
        lab.sites.forEach(Site::stop);
        return lab.sites.stream()
                .map(site -> site.dataDir)
                .filter(dataDir -> new DiskFiles().exists(dataDir.resolve("member")))
                .toList();
    }

    private static SnapshotManifest save(RealSites lab, Site site) {
        try (EtcdCluster cluster = site.connect()) {
            SnapshotSave save = new SnapshotSave(
                    cluster, lab.catalog, lab.clock, new SplittableRandom(1), lab.out);
            return save.save(save.choose(EtcdHealth.ask(cluster)), SnapshotEncoding.NONE, Map.of());
        }
    }
}
