package io.kjadm.core.simulation;

import io.kjadm.core.etcd.Forwarding;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.core.restore.StoredSnapshot;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotReader;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.core.snapshot.SnapshotToRestore;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.store.MemoryStore;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A snapshot of the cluster, as it is at first. */
record RestoreSnapshot(SnapshotCatalog catalog, SnapshotManifest manifest) {

    private static final Reporter SILENT = new QuietReporter(_ -> {});
    /** By the number of machines. */
    private static final Map<Integer, RestoreSnapshot> ALL =
            Map.of(3, make(3), 4, make(4), 5, make(5));

    /** That of a cluster of so many machines. */
    static RestoreSnapshot of(int machines) {
        return ALL.get(machines);
    }

    private static RestoreSnapshot make(int machines) {
        SnapshotCatalog catalog = new SnapshotCatalog(new MemoryStore());
        SimulatedCluster etcd = SimulatedCluster.ofVoters(1, "3.6.8");
        VirtualWaiter waiter = new VirtualWaiter();
        EtcdCluster listing = new Forwarding(etcd) {
            @Override
            public void snapshot(URI clientUrl, OutputStream into) throws IOException {
                into.write(SnapshotBytes.summed(RestoreMachine.database(
                        RestoreMachine.cluster(machines), RestoreMachine.INDEX)));
            }
        };
        SnapshotSave save =
                new SnapshotSave(listing, catalog, waiter, new SplittableRandom(1), SILENT);
        SnapshotManifest saved =
                save.save(save.choose(EtcdHealth.ask(listing)), SnapshotEncoding.NONE, Map.of());
        return new RestoreSnapshot(
                catalog,
                new SnapshotManifest(
                        saved.name(),
                        new SnapshotManifest.Origin(
                                saved.origin().clusterId(),
                                saved.origin().memberId(),
                                saved.origin().memberName(),
                                saved.origin().etcd(),
                                RestoreMachine.cluster(machines)),
                        saved.taken(),
                        saved.plain(),
                        saved.stored(),
                        saved.hashes(),
                        saved.labels()));
    }

    RestoreSource source() {
        return new StoredSnapshot(
                new SnapshotToRestore(manifest, new SnapshotReader(catalog, List.of(), SILENT)),
                "kjadm etcd snapshot restore " + manifest.name());
    }
}
