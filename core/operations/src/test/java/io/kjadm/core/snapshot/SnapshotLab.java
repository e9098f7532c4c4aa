package io.kjadm.core.snapshot;

import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.store.MemoryStore;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A simulated cluster of three, and snapshots of it in a store in memory. */
abstract class SnapshotLab {

    final SimulatedCluster etcd = SimulatedCluster.ofVoters(3, "3.6.14");
    final MemoryStore store = new MemoryStore();
    final SnapshotCatalog catalog = new SnapshotCatalog(store);
    final VirtualWaiter clock = new VirtualWaiter();
    final RecordingReporter out = new RecordingReporter();
    final SnapshotSave save = new SnapshotSave(etcd, catalog, clock, new SplittableRandom(1), out);

    SnapshotManifest take(SnapshotEncoding encoding) {
        return save.save(save.choose(EtcdHealth.ask(etcd)), encoding, Map.of("reason", "a test"));
    }

    Verification check(SnapshotManifest manifest, Level level, String... identities) {
        return new SnapshotCheck(catalog, List.of(identities), clock, out).check(manifest, level);
    }

    byte[] stored() {
        return store.objects.entrySet().stream()
                .filter(object -> object.getKey().endsWith("/data"))
                .findFirst()
                .orElseThrow()
                .getValue();
    }
}
