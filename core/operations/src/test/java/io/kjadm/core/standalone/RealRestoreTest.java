package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.leave.RemovalState;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.recover.RecoveryReport;
import io.kjadm.core.recover.SurvivorRestore;
import io.kjadm.core.restore.RestoreReason;
import io.kjadm.core.restore.SnapshotRestore;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.core.standalone.RealSites.Site;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.recover.ClusterLook;
import io.kjadm.etcd.recover.Diagnosis;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Three members as processes lose their data, one gets those of a snapshot, and the others leave
 * what was their cluster. Skipped where no etcd is at hand.
 */
class RealRestoreTest {

    @TempDir
    Path folder;

    private RealSites lab;
    private List<Site> sites;

    /** The newest of each minor version. */
    static List<EtcdBinary> versions() {
        Map<Integer, EtcdBinary> newest = new TreeMap<>();
        EtcdBinary.found(version -> version.atLeast(3, 4)).stream()
                .filter(binary -> Files.isExecutable(binary.file().resolveSibling("etcdctl")))
                .forEach(binary -> newest.put(binary.version().minor(), binary));
        assumeFalse(newest.isEmpty(), "no etcdctl beside any etcd");
        return List.copyOf(newest.values());
    }

    @AfterEach
    void end() {
        lab.close();
    }

    /** Three members, and the first of them. */
    private Site together(EtcdBinary binary) throws IOException {
        lab = new RealSites(folder, binary);
        sites = lab.sites;
        return lab.together();
    }

    @ParameterizedTest
    @MethodSource("versions")
    void oneMachineGetsTheSnapshotAndTheOthersLeaveTheirFormerCluster(EtcdBinary binary)
            throws IOException {
        Site first = together(binary);
        first.ctl("put", "kept", "yes");
        String former = lab.clusterId(first);
        SnapshotManifest snapshot;
        try (EtcdCluster cluster = first.connect()) {
            SnapshotSave save = new SnapshotSave(
                    cluster, lab.catalog, lab.clock, new SplittableRandom(1), lab.out);
            snapshot = save.save(
                    save.choose(EtcdHealth.ask(cluster)), SnapshotEncoding.NONE, Map.of());
        }
        first.ctl("put", "later", "lost");

        first.stop();
        new DiskFiles().deleteTree(first.dataDir);
        ClusterException refusal =
                assertThrows(ClusterException.class, () -> first.restore(first.stored(snapshot)));
        assertEquals(Optional.of(RestoreReason.OTHERS_RUN), refusal.reason());
        assertFalse(Files.exists(first.dataDir));

        sites.forEach(Site::stop);
        ClusterException silent =
                assertThrows(ClusterException.class, () -> first.restore(first.stored(snapshot)));
        assertEquals(Set.of("cp-2", "cp-3"), Named.members(silent.next()), silent::toString);
        // the snapshot lists the others with their client URLs; more may have joined since
        first.restore(first.stored(snapshot), "cp-2", "cp-3", ClusterLook.NO_OTHERS);

        lab.awaitMembers(first, 1);
        assertTrue(first.enabled);
        assertEquals("yes", first.ctl("get", "kept", "--print-value-only"));
        assertEquals("", first.ctl("get", "later", "--print-value-only"));
        assertNotEquals(former, lab.clusterId(first));
        assertEquals(
                binary.version().atLeast(3, 5),
                RealSites.revision(first) > SnapshotRestore.BUMP_REVISIONS);
        assertFalse(Files.exists(first.dataDir.resolve("kjadm-restore")));
        assertFalse(Files.exists(first.paths.restoreDir().resolve("journal.json")));

        // what was their cluster lives on, by mistake: nobody leaves it by asking another one
        sites.subList(1, 3).forEach(Site::start);
        lab.awaitMembers(sites.get(2), 3);
        ClusterException lives = assertThrows(
                ClusterException.class, () -> sites.get(2).reset(List.of(first.client)));
        assertEquals(Optional.of(RemovalState.Reason.OTHER_CLUSTER), lives.reason());
        assertTrue(sites.get(2).enabled);

        // one that is stopped, and one that runs without a quorum of what was its cluster
        sites.get(1).stop();
        lab.awaitNoLeader(sites.get(2));
        for (Site site : sites.subList(1, 3)) {
            site.reset(List.of(first.client));
            assertFalse(site.enabled);
            assertFalse(Files.exists(site.paths.environment()));
            assertFalse(Files.exists(site.paths.memberFile()));
            assertFalse(Files.exists(site.dataDir.resolve("member")));
            try (var kept = Files.list(site.dataDir.getParent())) {
                assertTrue(kept.anyMatch(
                        path -> path.getFileName().toString().startsWith("data.reset-")));
            }
        }
        lab.awaitMembers(first, 1);
        assertEquals("yes", first.ctl("get", "kept", "--print-value-only"));

        Site second = sites.get(1);
        first.ctl("member", "add", "cp-2", "--peer-urls=" + second.peer);
        second.configure("cp-1=%s,cp-2=%s".formatted(first.peer, second.peer));
        Files.writeString(
                second.paths.environment(),
                Files.readString(second.paths.environment())
                        .replace("STATE=new", "STATE=existing"));
        second.start();
        lab.awaitMembers(second, 2);
        assertEquals("yes", second.ctl("get", "kept", "--print-value-only"));
    }

    @ParameterizedTest
    @MethodSource("versions")
    void aSurvivorGoesOnWithAllThatWasCommitted(EtcdBinary binary) throws IOException {
        Site first = together(binary);
        first.ctl("put", "kept", "yes");
        String former = lab.clusterId(first);
        for (Site gone : sites.subList(1, 3)) {
            gone.stop();
            new DiskFiles().deleteTree(gone.dataDir);
        }
        RecoveryReport now = first.recover();
        assertTrue(now.diagnosis() instanceof Diagnosis.QuorumLostForNow, now::toString);
        assertEquals(
                Set.of(
                        "journalctl -u etcd -e",
                        "kjadm etcd certs check",
                        "kjadm etcd certs renew",
                        "kjadm etcd recover",
                        "kjadm etcd recover --collect",
                        "kjadm etcd recover --declare-lost",
                        "systemctl status etcd"),
                Named.commands(now.plans().toString()));

        RecoveryReport report = first.recover("cp-2", "cp-3");
        assertLinesMatch(
                List.of(
                        "stop the API servers that use this etcd",
                        "on cp-1: kjadm etcd recover( --declare-lost cp-[23]){2} --apply",
                        ("on each other machine, one after the other:"
                                        + " kjadm etcd reset --endpoints \\Q%1$s\\E;"
                                        + " then kjadm etcd join \\Q%1$s\\E there,"
                                        + " with the --version that the others have")
                                .formatted(first.client)),
                report.plans().getFirst().steps());
        first.restore(
                new SurvivorRestore(false, lab.out).source(report, first.dataDir), "cp-2", "cp-3");

        lab.awaitMembers(first, 1);
        assertEquals("yes", first.ctl("get", "kept", "--print-value-only"));
        assertNotEquals(former, lab.clusterId(first));
        assertTrue(first.recover().healthy());
    }
}
