package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.commands.TcpPeerProbe;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.StandaloneEtcdState;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.etcd.version.EtcdOrder;
import io.kjadm.core.etcd.version.EtcdVersionChange;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.ProcessRunner;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.SteadyClock;
import io.kjadm.core.phase.SystemWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.recover.EvidenceCollector;
import io.kjadm.core.recover.RecoveryReport;
import io.kjadm.core.recover.RecoveryWords;
import io.kjadm.core.restore.OldClusterCheck;
import io.kjadm.core.restore.RestorePlan;
import io.kjadm.core.restore.RestoreSource;
import io.kjadm.core.restore.RestoredEtcd;
import io.kjadm.core.restore.SnapshotRestore;
import io.kjadm.core.restore.StoredSnapshot;
import io.kjadm.core.snapshot.SnapshotCatalog;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotReader;
import io.kjadm.core.snapshot.SnapshotToRestore;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdProbe;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.Member;
import io.kjadm.store.MemoryStore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Machines with an etcd of their own whose members are processes; no systemd, no TLS. */
final class RealSites implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final Path folder;
    final EtcdBinary binary;
    /** Whether each machine has programs of its own, which can be exchanged. */
    private final boolean ownPrograms;

    final SnapshotCatalog catalog = new SnapshotCatalog(new MemoryStore());
    final RecordingReporter out = new RecordingReporter();
    final Waiter clock = new SystemWaiter(new SteadyClock(), out);
    final List<Site> sites = new ArrayList<>();

    /** @param folder of all of them */
    RealSites(Path folder, EtcdBinary binary) {
        this(folder, binary, false);
    }

    private RealSites(Path folder, EtcdBinary binary, boolean ownPrograms) {
        this.folder = folder;
        this.binary = binary;
        this.ownPrograms = ownPrograms;
    }

    /** Machines whose etcd can be exchanged for another version. */
    static RealSites withOwnPrograms(Path folder, EtcdBinary binary) {
        return new RealSites(folder, binary, true);
    }

    /** Three members, and the first of them. */
    Site together() throws IOException {
        for (String name : List.of("cp-1", "cp-2", "cp-3")) {
            sites.add(new Site(name));
        }
        String members = String.join(
                ",", sites.stream().map(site -> site.name + "=" + site.peer).toList());
        for (Site site : sites) {
            site.configure(members);
            site.start();
        }
        Site first = sites.get(0);
        awaitMembers(first, 3);
        return first;
    }

    @Override
    public void close() {
        sites.forEach(Site::stop);
    }

    /** A machine with a member: its folders, and what stands in for systemd. */
    final class Site implements CommandRunner {

        final String name;
        final URI client = EtcdProcess.freeUrl();
        final URI peer = EtcdProcess.freeUrl();
        final EtcdHostPaths paths;
        final Path dataDir;
        private final Path installDir;
        private final ProcessRunner programs = new ProcessRunner(System.getenv("PATH"));
        private final HostFiles files = new DiskFiles();
        boolean enabled = true;
        private Process process;

        Site(String name) {
            this.name = name;
            Path root = folder.resolve(name);
            this.paths = new EtcdHostPaths(
                    root.resolve("etc"),
                    root.resolve("units"),
                    root.resolve("state"),
                    root.resolve("cache"));
            this.dataDir = root.resolve("data");
            this.installDir = ownPrograms ? root.resolve("bin") : binary.file().getParent();
        }

        void configure(String members) throws IOException {
            Files.createDirectories(paths.environment().getParent());
            Files.createDirectories(paths.unit().getParent());
            Files.createDirectories(paths.stateDir());
            Files.writeString(paths.unit(), "[Unit]\n");
            Files.writeString(paths.environment(), """
                    ETCD_NAME=%s
                    ETCD_DATA_DIR=%s
                    ETCD_INITIAL_CLUSTER=%s
                    ETCD_INITIAL_CLUSTER_STATE=new
                    ETCD_INITIAL_CLUSTER_TOKEN=former
                    ETCD_INITIAL_ADVERTISE_PEER_URLS=%s
                    ETCD_LISTEN_PEER_URLS=%s
                    ETCD_ADVERTISE_CLIENT_URLS=%s
                    ETCD_LISTEN_CLIENT_URLS=%s
                    ETCD_MAX_WALS=0
                    """.formatted(
                            name, dataDir, members, peer, peer, client, client));
            Files.writeString(paths.memberFile(), """
                    {"founder": true, "finished": true, "token": "t", "name": "%s", "version": "%s",
                     "address": "127.0.0.1", "dataDir": "%s", "certificatesDir": "%s",
                     "installDir": "%s", "serverCertSans": [], "unitSettings": []}
                    """.formatted(
                            name, binary.version(), dataDir, folder.resolve("pki"), installDir));
            if (ownPrograms) {
                for (String program : List.of("etcd", "etcdctl", "etcdutl")) {
                    files.write(
                            installDir.resolve(program),
                            Files.readAllBytes(binary.file().resolveSibling(program)),
                            FileMode.EXECUTABLE);
                }
            }
            Files.writeString(paths.externalEtcd(), """
                    endpoints: [%s]
                    caCertificate: c
                    certificate: c
                    key: k
                    """.formatted(String.join(
                    ", ", sites.stream().map(site -> site.client.toString()).toList())));
        }

        @Override
        public Output run(List<String> command, Duration limit) {
            if (command.getFirst().equals("journalctl")) {
                return new Output(0, "", "");
            }
            if (!command.getFirst().equals("systemctl")) {
                return programs.run(command, limit);
            }
            String said = "";
            switch (command.get(1)) {
                case "start" -> start();
                case "stop" -> stop();
                case "enable" -> enabled = true;
                case "disable" -> enabled = false;
                case "is-active" -> said = running() ? "active\n" : "inactive\n";
                case "show" ->
                    said = "LoadState=loaded\nActiveState=%s\nNRestarts=0\n"
                            .formatted(running() ? "active" : "inactive");
                default -> {
                    // units are read anew
                }
            }
            return new Output(0, said, "");
        }

        @Override
        public boolean isInstalled(String program) {
            return program.equals("systemctl");
        }

        boolean running() {
            return process != null && process.isAlive();
        }

        void start() {
            if (running()) {
                return;
            }
            try {
                ProcessBuilder builder = new ProcessBuilder(
                                installDir.resolve("etcd").toString())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve(name + ".log").toFile());
                builder.environment().keySet().removeIf(key -> key.startsWith("ETCD"));
                StandaloneEtcdState.variables(Files.readString(paths.environment()))
                        .forEach((key, value) -> builder.environment().put("ETCD_" + key, value));
                process = builder.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void stop() {
            if (running()) {
                process.destroy();
                process.onExit().join();
            }
        }

        /** As by a power cut. */
        void kill() {
            process.destroyForcibly();
            process.onExit().join();
        }

        Machine machine() {
            return new Machine(files, this, new MemoryRuntime(), url -> "", clock, clock);
        }

        EtcdClients clients() {
            return NoKubernetes.clients(files, new JetcdConnector(), clock);
        }

        RestoreSource stored(SnapshotManifest snapshot) {
            return new StoredSnapshot(
                    new SnapshotToRestore(snapshot, new SnapshotReader(catalog, List.of(), out)),
                    "restore");
        }

        /** What {@code kjadm etcd recover} says here. */
        RecoveryReport recover(String... lost) {
            EvidenceCollector collector = new EvidenceCollector(
                    files, new SystemdEtcd(machine(), paths), clients(), NoKubernetes.LOOKUP, out);
            return RecoveryReport.of(
                    Optional.of(collector.collect(EtcdTarget.of(List.of(), Optional.empty()))),
                    List.of(),
                    clock.now(),
                    List.of(lost),
                    RecoveryWords.STANDALONE);
        }

        void restore(RestoreSource source, String... lost) {
            RestoredEtcd etcd = new RestoredEtcdService(
                    new SystemdEtcd(machine(), paths),
                    EtcdPrograms.reporting(this, files, paths),
                    PlainOptions.NONE,
                    out);
            RestorePlan plan = RestorePlan.of(
                    source,
                    etcd,
                    new OldClusterCheck(
                            files, etcd, clients(), TcpPeerProbe::listens, List.of(lost), out),
                    files);
            new SnapshotRestore(
                            machine(), etcd, clients(), new SecureRandom(), out, Failpoints.none())
                    .restore(plan);
        }

        /** {@code kjadm etcd upgrade}, which takes the programs of that etcd. */
        void changeVersion(EtcdBinary to) {
            Machine machine = machine();
            new EtcdVersionChange(
                            machine,
                            new EtcdCheckup(EtcdProbe::open, clock),
                            new EtcdService(
                                    new SystemdEtcd(machine, paths),
                                    clients(),
                                    new Programs(to),
                                    MembershipLock.none(),
                                    PlainOptions.NONE,
                                    Failpoints.none(),
                                    out),
                            out)
                    .apply(EtcdOrder.to(
                                    EtcdOrder.Direction.UPGRADE,
                                    to.version().toString(),
                                    Optional.empty())
                            .soaking(Duration.ofSeconds(2)));
        }

        /** The release that is in the folder of an etcd. */
        private final class Programs implements EtcdPrograms {

            private final EtcdBinary etcd;

            Programs(EtcdBinary etcd) {
                this.etcd = etcd;
            }

            @Override
            public void install(
                    EtcdVersion version, Path dir, EtcdRunOptions options, Reporter report) {
                throw new IllegalStateException("programs are exchanged, not installed");
            }

            @Override
            public Release unpack(
                    EtcdVersion version, Path dir, EtcdRunOptions options, Reporter report) {
                return program -> files.readBytes(etcd.file().resolveSibling(program));
            }

            @Override
            public Optional<EtcdVersion> installed(Path dir) {
                return ReleaseInstaller.installedVersion(Site.this, files, dir);
            }

            @Override
            public Path fetch(EtcdVersion version, EtcdRunOptions options, Reporter report) {
                throw new IllegalStateException("no test fetches alone");
            }
        }

        void reset(List<URI> asked) {
            new EtcdReset(
                            new SystemdEtcd(machine(), paths),
                            clients(),
                            MembershipLock.none(),
                            new EtcdReset.Options(false, false, false).asking(asked),
                            Failpoints.none(),
                            out)
                    .run();
        }

        String ctl(String... words) {
            List<String> command = new ArrayList<>(List.of(
                    "env",
                    "ETCDCTL_API=3",
                    binary.file().resolveSibling("etcdctl").toString(),
                    "--endpoints=" + client));
            command.addAll(List.of(words));
            Output output = programs.run(command, LIMIT);
            assertTrue(output.ok(), output::stderr);
            return output.stdout().strip();
        }

        EtcdCluster connect() {
            return new JetcdConnector().connect(EtcdAccess.plain(List.of(client)));
        }
    }

    void awaitMembers(Site site, int count) {
        try (EtcdCluster cluster = site.connect()) {
            clock.until(new Waiter.Await("", "etcd", LIMIT, Duration.ofMillis(100), ""), () -> {
                try {
                    int found = cluster.members().size();
                    return found == count
                            ? Waiter.Attempt.done(true)
                            : Waiter.Attempt.notYet("it lists " + found);
                } catch (EtcdCallException e) {
                    return Waiter.Attempt.notYet(e.text());
                }
            });
        }
    }

    /** The machine whose member leads. */
    Site leader() {
        try (EtcdCluster cluster = sites.getFirst().connect()) {
            String name = EtcdHealth.ask(cluster).leader().map(Member::name).orElseThrow();
            return sites.stream()
                    .filter(site -> site.name.equals(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    void awaitNoLeader(Site site) {
        try (EtcdCluster cluster = site.connect()) {
            clock.until(
                    new Waiter.Await("", "its end", LIMIT, Duration.ofMillis(100), ""),
                    () -> cluster.status(site.client).leaderId().isNone()
                            ? Waiter.Attempt.done(true)
                            : Waiter.Attempt.notYet("it leads or follows"));
        }
    }

    String clusterId(Site site) {
        try (EtcdCluster cluster = site.connect()) {
            return cluster.status(site.client).clusterId().toString();
        }
    }

    static long revision(Site site) {
        return Long.parseLong(site.ctl("endpoint", "status", "--write-out=json")
                .replaceFirst(".*\"revision\":(\\d+).*", "$1"));
    }
}
