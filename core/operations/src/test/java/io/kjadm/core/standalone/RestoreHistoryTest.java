package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.host.DiskFiles;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Clients write while a snapshot is taken, and go on; then all members are lost, one machine gets
 * the snapshot, and clients write again while the other machines are reset. What was restored has
 * to be a prefix of the first history, and the second one goes on from there.
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
            Recorder again = recorder.afterRestore(() -> List.of(first.client));
            Recording after = again.record(
                    () -> {
                        for (Site other : lab.sites.subList(1, 3)) {
                            again.during(
                                    "reset " + other.name,
                                    () -> other.reset(List.of(first.client)));
                        }
                    },
                    () -> end(lab));
            after.requireRight("reset of the others, after a restore", binary);
            assertEquals(
                    List.of(),
                    PrefixRules.violations(
                            before,
                            new Snapshot(
                                    before.mark("save a snapshot").from(),
                                    saved[0].plain().content().revision()),
                            again.begin(),
                            after));
        }
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
