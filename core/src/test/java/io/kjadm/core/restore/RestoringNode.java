package io.kjadm.core.restore;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.ContainerRuntime.Exit;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.DiskProbe;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.join.PowerCut;
import io.kjadm.core.node.Machine;
import io.kjadm.core.node.StaticPodContainers;
import io.kjadm.core.node.StaticPodText;
import io.kjadm.core.recover.SurvivorRestore;
import io.kjadm.core.snapshot.FileSnapshot;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotReader;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.core.snapshot.SnapshotToRestore;
import io.kjadm.core.snapshot.foreign.ForeignSnapshots;
import io.kjadm.core.upgrade.check.UpgradeLab;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.manifests.EtcdRestorePod;
import io.kjadm.store.MemoryStore;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * A control-plane node in memory with a snapshot of its etcd in a store, and a kubelet that makes
 * pods of manifests; the restore is the production code.
 */
final class RestoringNode {

    static final String DATA = "/var/lib/etcd/member/wal/0.wal";
    static final String DATABASE = "/var/lib/etcd/member/snap/db";
    static final String WORK = "/var/lib/etcd/kjadm-restore";
    static final String JOURNAL = "/etc/kubernetes/tmp/kjadm-restore/journal.json";

    private static final List<String> COMPONENTS =
            List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler");

    final UpgradeLab lab = new UpgradeLab();
    final SimulatedCluster etcd;
    final MemoryStore store = new MemoryStore();
    final SnapshotManifest snapshot;

    private boolean survivor;

    /** How etcdutl ends. */
    int exitStatus;
    /** Whether this node's etcd cannot serve. */
    boolean etcdFails;
    /** Of the data directory's disk. */
    long freeBytes = 1L << 30;
    /** Whether an etcd ever ran without data of its own, and so would have founded a cluster. */
    boolean founded;

    private final SnapshotCatalog catalog = new SnapshotCatalog(store);
    private int made;
    private int random;

    RestoringNode(int voters) {
        etcd = SimulatedCluster.ofVoters(voters, "3.6.8");
        etcd.local("cp-1");
        lab.etcd = etcd;
        lab.init.files.with(DATA, "old");
        lab.init.runner.answering("systemctl is-active kubelet", "active\n");
        SnapshotSave save =
                new SnapshotSave(etcd, catalog, lab.waiter, new SplittableRandom(1), lab.out);
        snapshot = save.save(save.choose(EtcdHealth.ask(etcd)), SnapshotEncoding.NONE, Map.of());
        lab.waiter.eachTime(this::kubelet);
        kubelet();
    }

    /** One look of the kubelet. */
    private void kubelet() {
        COMPONENTS.forEach(this::sync);
        sync(EtcdRestorePod.NAME);
        running(EtcdRestorePod.NAME).ifPresent(container -> {
            if (exitStatus == 0) {
                lab.init.files.with(WORK + "/data/member/wal/0.wal", "of the snapshot");
            }
            end(container, exitStatus);
        });
        boolean served = running("etcd").isPresent() && !etcdFails;
        founded |= served && !lab.init.files.exists(Path.of(DATA));
        if (served) {
            etcd.start(etcd.id("cp-1"), "cp-1");
        } else {
            etcd.stop(etcd.id("cp-1"));
        }
    }

    private void sync(String component) {
        Path manifest = Path.of(UpgradeLab.MANIFESTS + component + ".yaml");
        Optional<String> text = lab.init.files.read(manifest);
        Optional<Container> now = running(component);
        String uid =
                text.map(content -> Integer.toHexString(content.hashCode())).orElse("");
        now.filter(container -> !StaticPodContainers.podUid(container).equals(uid))
                .ifPresent(container -> end(container, 0));
        if (text.isPresent() && running(component).isEmpty() && !hasEnded(component, uid)) {
            StaticPodText.parse(text.get())
                    .flatMap(StaticPodText::image)
                    .ifPresent(lab.init.runtime.images::add);
            start(component, uid);
        }
    }

    /** One that is not to be started again has done so once. */
    private boolean hasEnded(String component, String uid) {
        return component.equals(EtcdRestorePod.NAME)
                && lab.init.runtime.containers.values().stream()
                        .anyMatch(container ->
                                StaticPodContainers.podUid(container).equals(uid));
    }

    private void start(String component, String uid) {
        String id = "%s-%d".formatted(component, ++made);
        lab.init.runtime.containers.put(
                id,
                new Container(
                        id,
                        "sandbox-of-" + id,
                        component,
                        0,
                        true,
                        lab.waiter.now(),
                        Map.of(
                                "io.kubernetes.pod.namespace",
                                "kube-system",
                                "io.kubernetes.pod.uid",
                                uid)));
    }

    private void end(Container container, int status) {
        lab.init.runtime.stopContainer(container.id(), Duration.ZERO);
        lab.init.runtime.exits.put(
                container.id(),
                new Exit(Optional.of(lab.waiter.now()), status, "Error", "it is broken", ""));
    }

    private Optional<Container> running(String component) {
        return StaticPodContainers.running(lab.init.runtime, component).stream().findFirst();
    }

    /** Of the components that run. */
    List<String> running() {
        return COMPONENTS.stream()
                .filter(component -> running(component).isPresent())
                .toList();
    }

    Map<String, String> manifests() {
        return COMPONENTS.stream()
                .filter(component -> lab.init.files.exists(manifest(component)))
                .collect(Collectors.toMap(
                        component -> component,
                        component -> lab.init.files.text(manifest(component).toString())));
    }

    private static Path manifest(String component) {
        return Path.of(UpgradeLab.MANIFESTS + component + ".yaml");
    }

    /** {@code kjadm etcd snapshot restore}. */
    void restore() {
        restore(lab.init.files);
    }

    private RestoreSource source() {
        return survivor
                ? new SurvivorRestore(false, lab.out)
                        .begun("survivor-cp-1", Path.of("/var/lib/etcd"))
                        .orElseThrow()
                : stored(new SnapshotToRestore(
                        snapshot, new SnapshotReader(catalog, List.of(), lab.out)));
    }

    /** From now on its own database is restored instead of the snapshot. */
    RestoringNode surviving() {
        survivor = true;
        lab.init.files.with(DATABASE, SnapshotBytes.database(20, 0));
        return this;
    }

    private static RestoreSource stored(SnapshotToRestore chosen) {
        return new StoredSnapshot(
                chosen, "kjadm etcd snapshot restore " + chosen.manifest().name());
    }

    private void restore(HostFiles files) {
        restore(files, source());
    }

    private void restore(HostFiles files, RestoreSource source) {
        RestorePlan plan = RestorePlan.of(source, etcd(files), clients(files), files);
        plan.requireSpace(files, new Disk());
        workflow(files).restore(plan);
    }

    /** {@code kjadm etcd snapshot restore --from-file}. */
    void restoreFile(String path) {
        HostFiles files = lab.init.files;
        SnapshotToRestore found = FileSnapshot.of(
                new ForeignSnapshots(files).find(Path.of(path), Optional.empty()),
                files,
                false,
                lab.out);
        restore(files, stored(found));
    }

    private final class Disk implements DiskProbe {
        @Override
        public long freeBytes(Path directory) {
            return freeBytes;
        }

        @Override
        public Optional<Duration> syncTime(Path directory) {
            return Optional.empty();
        }
    }

    /** The same with {@code --undo}. */
    void undo() {
        workflow(lab.init.files).undo();
    }

    /**
     * Restores on a machine whose power goes at a step, and comes back.
     *
     * @return whether it went
     */
    boolean cut(PowerCut.Socket socket) {
        try {
            restore(socket.plug(HostFiles.class, lab.init.files));
        } catch (PowerCut e) {
            if (!e.at(socket)) {
                throw e;
            }
        }
        List.copyOf(lab.init.runtime.containers.values()).stream()
                .filter(Container::running)
                .forEach(container -> end(container, 137));
        lab.waiter.pause("", "", Duration.ofSeconds(30));
        return socket.wasCut();
    }

    private SnapshotRestore workflow(HostFiles files) {
        return new SnapshotRestore(
                machine(files), etcd(files), clients(files), new Random(7), lab.out);
    }

    private RestoredEtcd etcd(HostFiles files) {
        return new RestoredControlPlane(
                machine(files),
                KubernetesPaths.standard(),
                clients(files),
                new Random(random++),
                lab.out);
    }

    private Machine machine(HostFiles files) {
        return new Machine(
                files,
                lab.init.runner,
                lab.init.runtime,
                _ -> running("kube-apiserver").isPresent() ? "" : "connection refused",
                lab.waiter,
                lab.waiter);
    }

    private EtcdClients clients(HostFiles files) {
        return new EtcdClients(files, lab.clients(files), access -> etcd, lab.waiter);
    }
}
