package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.FreeSpace;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberFile;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.recover.EvidenceCollector;
import io.kjadm.core.recover.SurvivorRestore;
import io.kjadm.core.restore.OldClusterCheck;
import io.kjadm.core.restore.RestorePlan;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.core.restore.RestoredEtcd;
import io.kjadm.core.restore.SnapshotRestore;
import io.kjadm.core.restore.StoredSnapshot;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotEncoding;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotReader;
import io.kjadm.core.snapshot.SnapshotSave;
import io.kjadm.core.snapshot.SnapshotToRestore;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.check.WalFile;
import io.kjadm.etcd.recover.NodeEvidence;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.store.MemoryStore;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A machine with a member of an etcd of its own, in memory, and a snapshot of it in a store: systemd
 * runs etcd, and the tool that makes data is a command that writes a file.
 */
final class RestoringMachine {

    /** The last words of a tool that fails. */
    static final String DAMAGED = "it is damaged";

    /** A word that tells whose the data are, beside their log. */
    static final String DATA = "/var/lib/etcd/member/data";

    static final String WAL = "/var/lib/etcd/member/wal/0.wal";
    static final String HOLD = "/etc/systemd/system/etcd.service.d/90-kjadm-hold.conf";
    static final String DATABASE = "/var/lib/etcd/member/snap/db";
    static final String WORK = "/var/lib/etcd/kjadm-restore";
    static final String JOURNAL = "/var/lib/kjadm/etcd/restore/journal.json";
    static final String ENVIRONMENT = "/etc/etcd/etcd.env";
    static final String FORMER = """
            # made by hand
            GOMAXPROCS=2
            ETCD_NAME=cp-1
            ETCD_INITIAL_CLUSTER=cp-1=https://cp-1:2380
            ETCD_INITIAL_CLUSTER_TOKEN=former
            ETCD_INITIAL_CLUSTER_STATE=new
            ETCD_INITIAL_ADVERTISE_PEER_URLS=https://cp-1:2380
            ETCD_ADVERTISE_CLIENT_URLS=http://cp-1:2379
            ETCD_LISTEN_CLIENT_URLS=http://cp-1:2379,http://127.0.0.1:2379
            ETCD_CERT_FILE=/etc/etcd/pki/server.crt
            ETCD_DATA_DIR=/var/lib/etcd
            ETCD_QUOTA_BACKEND_BYTES=4294967296
            """;

    final MemoryFiles files = new MemoryFiles();
    final VirtualWaiter waiter = new VirtualWaiter();
    final RecordingReporter out = new RecordingReporter();
    final SimulatedCluster cluster;
    /** Of the member before any restore. */
    final MemberIds former;

    final MemoryStore store = new MemoryStore();
    final SnapshotManifest snapshot;
    final List<String> commands = new ArrayList<>();

    boolean enabled = true;
    boolean started = true;
    /** What the operator gives up, {@code --declare-lost}. */
    List<String> declared = List.of();
    /** {@code --bump-revision}. */
    OptionalLong raise = OptionalLong.empty();
    /** How the tool ends. */
    int exitStatus;
    /** Whether the tool knows how to raise revisions. */
    boolean raises = true;
    /** Whether etcd ends at once. */
    boolean broken;
    /** Whether an etcd ever ran without data of its own, and so would have founded a cluster. */
    boolean founded;
    /** The revision that restored data have. */
    long restoredRevision = 5 * SnapshotRestore.BUMP_REVISIONS;
    /** Happens while the tool is at work. */
    Runnable during = () -> {};
    /** Whether the release can be had. */
    boolean release = true;

    long freeBytes = 1L << 30;
    private boolean survivor;
    private int runs;
    private final SnapshotCatalog catalog = new SnapshotCatalog(store);

    RestoringMachine(int voters) {
        cluster = SimulatedCluster.ofVoters(voters, "3.6.8");
        cluster.local("cp-1");
        former = new MemberIds("c1", member());
        UpgradingMachine.certificates(files);
        files.with("/opt/bin/etcd", "3.6.8")
                .with("/opt/bin/etcdctl", "ctl 3.6.8")
                .with("/opt/bin/etcdutl", "utl 3.6.8")
                .with("/etc/systemd/system/etcd.service", "[Unit]")
                .with(ENVIRONMENT, FORMER)
                .with("/var/lib/kjadm/etcd/member.json", """
                        {"founder": true, "finished": true, "token": "t", "name": "cp-1", "version": "3.6.8",
                         "address": "10.0.0.1", "dataDir": "/var/lib/etcd", "certificatesDir": "/etc/etcd/pki",
                         "installDir": "/opt/bin", "serverCertSans": [], "unitSettings": []}
                        """)
                .with("/etc/etcd/external-etcd.yaml", """
                        endpoints:
                        - http://cp-1:2379
                        - http://cp-9:2379
                        caCertificate: |
                          c
                        certificate: |
                          c
                        key: |
                          k
                        """)
                .with(DATA, "old")
                .with(WAL, WalFile.of(former));
        SnapshotSave save =
                new SnapshotSave(cluster, catalog, waiter, new SplittableRandom(1), out);
        snapshot = save.save(save.choose(EtcdHealth.ask(cluster)), SnapshotEncoding.NONE, Map.of());
    }

    private MemberId member() {
        return cluster.id("cp-1");
    }

    /** From now on its own database is restored instead of the snapshot. */
    RestoringMachine surviving() {
        survivor = true;
        files.with(DATABASE, SnapshotBytes.database(20, 0));
        return this;
    }

    /** Its data are lost; systemd has tried to start it in vain. */
    RestoringMachine wiped() {
        files.deleteTree(Path.of("/var/lib/etcd"));
        started = false;
        cluster.stop(member());
        return this;
    }

    /** The other members are gone for good. */
    RestoringMachine bereft() {
        List.of("cp-2", "cp-3").forEach(name -> {
            cluster.stop(cluster.id(name));
            cluster.removeByOther(cluster.id(name));
        });
        return this;
    }

    private CommandRunner.Output answer(HostFiles disk, List<String> command) {
        String words = String.join(" ", command);
        commands.add(words);
        if (words.endsWith(" --version")) {
            return ok("etcd Version: %s\n"
                    .formatted(disk.read(Path.of(command.getFirst())).orElse("")));
        }
        if (words.endsWith("snapshot restore --help")) {
            return ok(raises ? "--bump-revision uint\n--mark-compacted\n" : "--data-dir\n");
        }
        if (restores(words)) {
            return make(disk, command);
        }
        switch (words) {
            case "systemctl start --no-block etcd" -> {
                if (held()) {
                    return new CommandRunner.Output(1, "", "Assertion failed on job for etcd");
                }
                start();
            }
            case "systemctl stop etcd" -> {
                started = false;
                cluster.stop(member());
            }
            case "systemctl enable etcd" -> enabled = true;
            case "systemctl disable etcd" -> enabled = false;
            case "systemctl is-active etcd" -> {
                return ok(started ? "active\n" : "inactive\n");
            }
            default -> {
                if (words.startsWith("systemctl show")) {
                    return ok("LoadState=loaded\nActiveState=%s\nNRestarts=%d\nResult=exit-code\n"
                            .formatted(started ? "active" : "inactive", broken ? 3 : 0));
                }
                if (words.startsWith("journalctl") && broken && started) {
                    return ok("{\"level\":\"fatal\",\"msg\":\"it is broken\"}\n");
                }
            }
        }
        return ok("");
    }

    private static CommandRunner.Output ok(String said) {
        return new CommandRunner.Output(0, said, "");
    }

    private CommandRunner.Output make(HostFiles disk, List<String> command) {
        during.run();
        String target = command.stream()
                .filter(word -> word.startsWith("--data-dir="))
                .map(word -> word.substring("--data-dir=".length()))
                .findFirst()
                .orElseThrow();
        if (exitStatus != 0) {
            files.with(target + "/member/snap/db", "a part of it");
            return new CommandRunner.Output(exitStatus, "", "it began\n%s\n".formatted(DAMAGED));
        }
        if (disk.readBytes(Path.of(command.get(command.indexOf("restore") + 1))).isEmpty()) {
            return new CommandRunner.Output(1, "", "there is no snapshot");
        }
        String words = String.join(" ", command);
        MemberIds ids = MemberIds.ofFounder(
                flag(words, "initial-cluster-token"),
                List.of(URI.create(flag(words, "initial-advertise-peer-urls"))));
        files.withUnsynced(
                        target + "/member/data", "of the snapshot".getBytes(StandardCharsets.UTF_8))
                .withUnsynced(target + "/member/wal/0.wal", WalFile.of(ids));

        return ok("");
    }

    private static String flag(String text, String name) {
        Matcher flag = Pattern.compile("--%s=(\\S+)".formatted(name)).matcher(text);
        assertTrue(flag.find(), text);
        return flag.group(1);
    }

    /** Whether the drop-in keeps systemd from starting it. */
    boolean held() {
        return files.read(Path.of(HOLD))
                .map(text -> text.replaceFirst("(?s).*AssertPathExists=!(\\S+).*", "$1"))
                .filter(path -> files.exists(Path.of(path)))
                .isPresent();
    }

    /** Another program, such as a unit that requires it, has systemd start etcd. */
    void startedByAnother() {
        if (!held() && !started) {
            start();
        }
    }

    private void start() {
        started = true;
        if (broken) {
            cluster.stop(member());
            return;
        }
        if (!files.exists(Path.of(DATA))) {
            founded = true;
            files.with(DATA, "of an etcd that was started without data")
                    .with(WAL, WalFile.of(new MemberIds("bad", new MemberId(0xbad))));
        }
        new DataDirReader(files)
                .idsIn(Path.of("/var/lib/etcd/member"))
                .ifPresent(ids -> cluster.serves(
                        "cp-1",
                        ids,
                        files.text(DATA).equals("of the snapshot") ? restoredRevision : 100));
        cluster.start(member(), "cp-1");
    }

    /** The power goes and comes: systemd starts what is enabled. */
    void reboot() {
        started = false;
        cluster.stop(member());
        if (enabled && !held()) {
            start();
        }
        waiter.pause("", "", Duration.ofMinutes(2));
    }

    private CommandRunner runner(HostFiles disk) {
        return new MemorySystemd(command -> answer(disk, command));
    }

    private EtcdPrograms programs(HostFiles disk) {
        return new MemoryPrograms(
                runner(disk),
                disk,
                version -> Optional.of(Map.of(
                                "etcd", version.toString(),
                                "etcdctl", "made etcdctl",
                                "etcdutl", "made etcdutl"))
                        .filter(_ -> release));
    }

    private Machine machine(HostFiles disk) {
        return new Machine(
                disk, runner(disk), new MemoryRuntime(), url -> "refused", waiter, waiter);
    }

    private EtcdClients clients(HostFiles disk) {
        return NoKubernetes.clients(disk, access -> cluster, waiter);
    }

    private RestoredEtcd etcd(HostFiles disk) {
        return new RestoredEtcdService(
                new SystemdEtcd(machine(disk), EtcdHostPaths.standard()),
                programs(disk),
                PlainOptions.NONE,
                out);
    }

    RestoreSource source() {
        return survivor
                ? new SurvivorRestore(false, out)
                        .begun("survivor-cp-1", Path.of("/var/lib/etcd"))
                        .orElseThrow()
                : new StoredSnapshot(
                        new SnapshotToRestore(
                                snapshot, new SnapshotReader(catalog, List.of(), out)),
                        "kjadm etcd snapshot restore " + snapshot.name(),
                        raise,
                        List.of());
    }

    /**
     * The part of {@code kjadm etcd init --from-snapshot} that is about the snapshot.
     *
     * @param resumes whether an earlier run has configured etcd
     * @param named   what is named, if anything
     */
    void init(HostFiles disk, boolean resumes, Optional<RestoreSource> named) {
        EtcdRun plain = new EtcdRun(
                new MemberFile(disk, EtcdHostPaths.standard()).read().orElseThrow(),
                EtcdHostPaths.standard(),
                PlainOptions.NONE,
                Optional.empty(),
                resumes,
                Optional.empty());
        EtcdRun run = named.map(plain::from).orElse(plain);
        for (Phase<EtcdRun> phase : List.of(
                new SnapshotPhase(disk, new FreeSpace(() -> freeBytes)),
                EtcdWorkflows.restore(machine(disk), programs(disk)))) {
            if (phase.applies(run)) {
                run = phase.run(run, out);
            }
        }
    }

    /** The same until the power goes; whether it went. */
    boolean cutInit(PowerCut.Socket socket) {
        HostFiles disk = socket.plug(HostFiles.class, files);
        return socket.cuts(() -> init(disk, false, Optional.of(source())));
    }

    /** What the operator is told before. */
    List<String> plan() {
        return plan(files).describe();
    }

    private RestorePlan plan(HostFiles disk) {
        RestorePlan plan = RestorePlan.of(
                source(),
                etcd(disk),
                new OldClusterCheck(disk, etcd(disk), clients(disk), _ -> false, declared, out),
                disk);
        plan.requireSpace(disk, new FreeSpace(() -> freeBytes));
        return plan;
    }

    private SnapshotRestore workflow(HostFiles disk) {
        return new SnapshotRestore(
                machine(disk),
                etcd(disk),
                clients(disk),
                new Random(7 + runs++),
                out,
                Failpoints.none());
    }

    /** {@code kjadm etcd snapshot restore}. */
    void restore() {
        workflow(files).restore(plan(files));
    }

    void undo() {
        workflow(files).undo();
    }

    /** What {@code kjadm etcd recover --collect} finds. */
    NodeEvidence evidence() {
        return new EvidenceCollector(
                        files, etcd(files).host(), clients(files), NoKubernetes.LOOKUP, out)
                .collect(EtcdTarget.of(List.of(), Optional.empty()));
    }

    /** Restores until the power goes; whether it went. */
    boolean cut(PowerCut.Socket socket) {
        HostFiles disk = socket.plug(HostFiles.class, files);
        return socket.cuts(() -> workflow(disk).restore(plan(disk)));
    }

    /** Whether a command makes data of a snapshot. */
    static boolean restores(String command) {
        return command.matches(".* snapshot restore /.*");
    }

    /** The step that the journal of the restore announces. */
    String step() {
        return (String) ManifestYaml.readObject(files.text(JOURNAL)).get("step");
    }

    boolean exists(String path) {
        return files.exists(Path.of(path));
    }
}
