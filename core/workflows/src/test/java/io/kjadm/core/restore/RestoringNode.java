package io.kjadm.core.restore;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.check.FreeSpace;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.recover.SurvivorRestore;
import io.kjadm.core.snapshot.FileSnapshot;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotReader;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.core.snapshot.SnapshotToRestore;
import io.kjadm.core.snapshot.foreign.ForeignSnapshots;
import io.kjadm.core.staticpod.PodContainers;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.core.staticpod.StaticPods;
import io.kjadm.core.upgrade.check.UpgradeLab;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.check.WalFile;
import io.kjadm.manifests.EtcdRestorePod;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.store.MemoryStore;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A control-plane node in memory with a snapshot of its etcd in a store, and a kubelet that makes
 * pods of manifests; the restore is the production code.
 */
final class RestoringNode {

    /** A word that tells whose the data are, beside their log. */
    static final String DATA = "/var/lib/etcd/member/data";

    static final String WAL = "/var/lib/etcd/member/wal/0.wal";
    static final Path MEMBER = Path.of("/var/lib/etcd/member");
    static final String DATABASE = "/var/lib/etcd/member/snap/db";
    static final String WORK = "/var/lib/etcd/kjadm-restore";
    static final String JOURNAL = "/etc/kubernetes/tmp/kjadm-restore/journal.json";

    private static final List<String> COMPONENTS =
            List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler");

    final UpgradeLab lab = new UpgradeLab();
    final SimulatedCluster etcd;
    final MemoryStore store = new MemoryStore();
    final SnapshotManifest snapshot;
    /** Of the member before any restore. */
    final MemberIds former;

    private final PodContainers containers = new PodContainers(lab.init.runtime, lab.waiter::now);
    private final List<MemberId> others;
    private boolean survivor;
    private boolean alone;
    private Optional<MemberIds> served = Optional.empty();

    /** What the operator gives up, {@code --declare-lost}. */
    List<String> declared = List.of();
    /** Others that serve, whose client ports this node does not reach. */
    Set<String> unreachable = Set.of();
    /** For so many looks its member knows a leader that has gone. */
    int leaderKnownFor;
    /** Whether its etcd was started again without data: as the founder, alone and leading itself. */
    boolean startedEmpty;
    /** Happens while the snapshot is fetched. */
    Runnable whileFetching = () -> {};
    /** Happens while etcdutl is at work. */
    Runnable whileMaking = () -> {};
    /** The peer URLs that accept connections. */
    final Set<URI> listening = new HashSet<>();
    /** How etcdutl ends. */
    int exitStatus;
    /** Whether this node's etcd cannot serve. */
    boolean etcdFails;
    /** Whether the tool makes data of other IDs than it was told. */
    boolean makesOthers;
    /** {@code --bump-revision}. */
    OptionalLong raise = OptionalLong.empty();
    /** The revision that restored data have. */
    long restoredRevision = 5 * SnapshotRestore.BUMP_REVISIONS;
    /** As what etcd answers, whatever its data are. */
    Optional<MemberIds> answersAs = Optional.empty();
    /** Whether the API server never becomes ready. */
    boolean apiServerFails;
    /** Whether the program runs out of memory while it fetches the snapshot. */
    boolean fetchFails;
    /** Value of {@code --cluster-id}. */
    Optional<String> clusterId = Optional.empty();
    /** Value of {@code KJADM_FAILPOINT}. */
    Optional<String> failpoint = Optional.empty();
    /** Of the data directory's disk. */
    long freeBytes = 1L << 30;
    /** Whether an etcd ever ran without data of its own, and so would have founded a cluster. */
    boolean founded;

    /** A field of the journal of the restore. */
    Object journal(String field) {
        return ManifestYaml.readObject(lab.init.files.text(JOURNAL)).get(field);
    }

    private final SnapshotCatalog catalog = new SnapshotCatalog(store);
    private int random;

    RestoringNode(int voters) {
        etcd = SimulatedCluster.ofVoters(voters, "3.6.8");
        etcd.local("cp-1");
        others = etcd.members().stream()
                .map(Member::id)
                .filter(id -> !id.equals(etcd.id("cp-1")))
                .toList();
        lab.etcd = etcd;
        former = new MemberIds("c1", etcd.id("cp-1"));
        data("old", former);
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
        containers.running(EtcdRestorePod.NAME).ifPresent(container -> {
            whileMaking.run();
            if (exitStatus == 0) {
                make(lab.init.files.text(manifest(EtcdRestorePod.NAME).toString()));
            }
            containers.end(container, exitStatus);
        });
        boolean served = containers.running("etcd").isPresent() && !etcdFails;
        if (served && !lab.init.files.exists(MEMBER)) {
            founded = true;
            data("of an etcd that was started without data", STRANGER);
        }
        if (served
                && !alone
                && lab.init
                        .files
                        .read(Path.of(DATA))
                        .filter("of the snapshot"::equals)
                        .isPresent()) {
            // a new cluster, whatever becomes of the old one
            alone = true;
            others.forEach(etcd::removeByOther);
        }
        if (served) {
            serve();
            etcd.start(etcd.id("cp-1"), "cp-1");
        } else {
            etcd.stop(etcd.id("cp-1"));
        }
    }

    /** Those of an etcd that somebody started. */
    static final MemberIds STRANGER = new MemberIds("bad", new MemberId(0xbad));

    /** The data directory has these data from now on. */
    void data(String word, MemberIds ids) {
        lab.init.files.with(DATA, word).with(WAL, WalFile.of(ids));
    }

    private void make(String pod) {
        MemberIds ids = makesOthers
                ? STRANGER
                : MemberIds.ofFounder(
                        flag(pod, "initial-cluster-token"),
                        List.of(URI.create(flag(pod, "initial-advertise-peer-urls"))));
        String member = flag(pod, "data-dir") + "/member/";
        lab.init
                .files
                .withUnsynced(member + "data", "of the snapshot".getBytes(StandardCharsets.UTF_8))
                .withUnsynced(member + "wal/0.wal", WalFile.of(ids));
    }

    static String flag(String text, String name) {
        Matcher flag = Pattern.compile("--%s=(\\S+)".formatted(name)).matcher(text);
        assertTrue(flag.find(), text);
        return flag.group(1);
    }

    /** etcd tells what its data are. */
    private void serve() {
        Optional<MemberIds> ids =
                answersAs.or(() -> new DataDirReader(lab.init.files).idsIn(MEMBER));
        if (ids.isPresent() && !ids.equals(served)) {
            boolean restored = lab.init.files.text(DATA).equals("of the snapshot");
            etcd.serves("cp-1", ids.get(), restored ? restoredRevision : 100);
            served = ids;
        }
    }

    private void sync(String component) {
        Path manifest = Path.of(UpgradeLab.MANIFESTS + component + ".yaml");
        Optional<String> text = lab.init.files.read(manifest);
        Optional<Container> now = containers.running(component);
        String uid =
                text.map(content -> Integer.toHexString(content.hashCode())).orElse("");
        now.filter(container -> !StaticPods.podUid(container).equals(uid))
                .ifPresent(container -> containers.end(container, 0));
        // what makes data is not started again
        boolean ended = component.equals(EtcdRestorePod.NAME) && containers.hasRun(uid);
        if (text.isPresent() && containers.running(component).isEmpty() && !ended) {
            StaticPodText.parse(text.get())
                    .flatMap(StaticPodText::image)
                    .ifPresent(lab.init.runtime.images::add);
            containers.start(component, uid);
        }
    }

    /** Of the components that run. */
    List<String> running() {
        return COMPONENTS.stream()
                .filter(component -> containers.running(component).isPresent())
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

    private RestoreSource stored(SnapshotToRestore chosen) {
        StoredSnapshot stored = new StoredSnapshot(
                chosen,
                "kjadm etcd snapshot restore " + chosen.manifest().name(),
                raise,
                List.of());
        return new WatchedSource(stored, this::fetching);
    }

    private void fetching(HostFiles files, Path file) {
        whileFetching.run();
        if (fetchFails) {
            files.write(file, "the first half, with Secrets", FileMode.OWNER_ONLY);
            throw new OutOfMemoryError("Java heap space");
        }
    }

    private void restore(HostFiles files) {
        restore(files, source());
    }

    private void restore(HostFiles files, RestoreSource source) {
        RestorePlan plan = RestorePlan.of(source, etcd(files), oldCluster(files), files);
        new ClusterLineage(files, StaticPodEtcd.LINEAGE)
                .require(plan, () -> List.of(snapshot), clusterId);
        plan.requireSpace(files, new FreeSpace(() -> freeBytes));
        workflow(files).restore(plan);
    }

    /** A plan as if {@code serving} was what its etcd says, without a look at the old cluster. */
    RestorePlan plan(RestoreSource source, boolean earlier, Optional<MemberStatus> serving) {
        HostFiles files = lab.init.files;
        RestoredEtcd own = etcd(files);
        LocalEtcdState state = own.host().state();
        return new RestorePlan(
                source,
                own,
                state,
                RestorePlan.member(state),
                earlier,
                oldCluster(files),
                new OldClusterCheck.Seen(serving, List.of()));
    }

    private OldClusterCheck oldCluster(HostFiles files) {
        return new OldClusterCheck(
                files, etcd(files), clients(files), listening::contains, declared, lab.out);
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
        return cut(socket, this::restore);
    }

    /** The same with {@code --undo}. */
    boolean cutUndo(PowerCut.Socket socket) {
        return cut(socket, files -> workflow(files).undo());
    }

    private boolean cut(PowerCut.Socket socket, Consumer<HostFiles> run) {
        boolean went = socket.cuts(() -> run.accept(socket.plug(HostFiles.class, lab.init.files)));
        containers.kill();
        lab.waiter.pause("", "", Duration.ofSeconds(30));
        return went;
    }

    private SnapshotRestore workflow(HostFiles files) {
        return new SnapshotRestore(
                machine(files),
                etcd(files),
                clients(files),
                new Random(7 + random++),
                lab.out,
                failpoint
                        .map(value -> Failpoints.from(Map.of(Failpoints.VARIABLE, value)))
                        .orElseGet(Failpoints::none));
    }

    RestoredEtcd etcd(HostFiles files) {
        return new RestoredControlPlane(
                new StaticPodEtcd(machine(files), KubernetesPaths.standard()),
                new Random(random++),
                lab.out);
    }

    private Machine machine(HostFiles files) {
        return new Machine(
                files,
                lab.init.runner,
                lab.init.runtime,
                _ -> containers.running("kube-apiserver").isPresent() && !apiServerFails
                        ? ""
                        : "connection refused",
                lab.waiter,
                lab.waiter);
    }

    EtcdClients clients(HostFiles files) {
        return new EtcdClients(
                files, lab.clients(files), access -> new SeenCluster(this), lab.waiter);
    }
}
