package io.kjadm.core.standalone;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.check.LabProbes;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.etcd.version.EtcdOrder;
import io.kjadm.core.etcd.version.EtcdVersionChange;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A machine with a member of an etcd of its own, in memory: systemd starts the program that is in
 * its place, which is a file with its version in it.
 */
final class UpgradingMachine {

    static final String JOURNAL = "/var/lib/kjadm/etcd/upgrades/kjadm-upgrade/journal.json";
    static final String ENVIRONMENT = "/etc/etcd/etcd.env";

    private static final CertificateAuthority CA = CertificateAuthority.create(
            "etcd-ca",
            KeyAlgorithm.ECDSA_P256,
            Validity.startingAt(Instant.parse("2026-01-01T00:00:00Z"), Duration.ofDays(3650)));

    final MemoryFiles files = new MemoryFiles();
    final VirtualWaiter waiter = new VirtualWaiter();
    final RecordingReporter out = new RecordingReporter();
    final SimulatedCluster cluster;
    final MemberId member;
    /** Versions that end at once. */
    final Set<String> broken = new HashSet<>();
    /** Versions of which no release can be had. */
    final Set<String> missing = new HashSet<>();

    MembershipLock lock = MembershipLock.none();
    /** Of the service, whichever etcd it ran. */
    private final List<String> log = new ArrayList<>();

    private boolean started = true;
    private int ends;

    /** @param voters that the cluster has; this machine's member, {@code cp-1}, follows */
    UpgradingMachine(int voters, String version) {
        cluster = SimulatedCluster.ofVoters(voters, version);
        cluster.local("cp-1");
        member = cluster.id("cp-1");
        if (voters > 1) {
            cluster.leadBy(cluster.id("cp-2"));
        }
        certificates(files);
        files.with("/opt/bin/etcd", version)
                .with("/opt/bin/etcdctl", "ctl " + version)
                .with("/etc/systemd/system/etcd.service", "[Unit]")
                .with(ENVIRONMENT, """
                        # made by hand
                        GOMAXPROCS=2
                        ETCD_NAME=cp-1
                        ETCD_INITIAL_CLUSTER=cp-1=https://cp-1:2380
                        ETCD_INITIAL_CLUSTER_STATE=new
                        ETCD_INITIAL_ADVERTISE_PEER_URLS=https://cp-1:2380
                        ETCD_ADVERTISE_CLIENT_URLS=http://cp-1:2379
                        ETCD_LISTEN_CLIENT_URLS=http://cp-1:2379,http://127.0.0.1:2379
                        ETCD_CERT_FILE=/etc/etcd/pki/server.crt
                        ETCD_DATA_DIR=/var/lib/etcd
                        ETCD_QUOTA_BACKEND_BYTES=4294967296
                        ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK=true
                        """.replace(
                                "ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK",
                                version.startsWith("3.5")
                                        ? "ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK"
                                        : "ETCD_STRICT_RECONFIG_CHECK"))
                .with("/var/lib/kjadm/etcd/member.json", """
                        {"founder": true, "finished": true, "token": "t", "name": "cp-1", "version": "%s",
                         "address": "10.0.0.1", "dataDir": "/var/lib/etcd", "certificatesDir": "/etc/etcd/pki",
                         "installDir": "/opt/bin", "serverCertSans": [], "unitSettings": []}
                        """.formatted(version))
                .with("/var/lib/etcd/member/snap/db", "data");
    }

    /** The CA, and what proves this machine to etcd. */
    static void certificates(MemoryFiles files) {
        IssuedCertificate client = CA.issue(
                new LeafRequest(
                        "cp-1-etcdctl",
                        List.of(),
                        List.of(ExtendedUsage.CLIENT_AUTH),
                        SubjectNames.none()),
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(Instant.parse("2026-01-01T00:00:00Z"), Duration.ofDays(365)));
        files.with("/etc/etcd/pki/ca.crt", CA.certificatePem())
                .with("/etc/etcd/pki/etcdctl-etcd-client.crt", client.certificatePem())
                .with("/etc/etcd/pki/etcdctl-etcd-client.key", client.keyPem());
    }

    /** What systemd and the programs answer. */
    private CommandRunner.Output answer(HostFiles disk, List<String> command) {
        String words = String.join(" ", command);
        if (words.endsWith(" --version")) {
            String content = disk.read(Path.of(command.getFirst())).orElse("");
            return new CommandRunner.Output(0, "etcd Version: %s\n".formatted(content), "");
        }
        if (words.startsWith("systemctl start")) {
            start();
        } else if (words.equals("systemctl stop etcd")) {
            started = false;
            log.add(
                    "{\"level\":\"error\",\"msg\":\"setting up serving from embedded etcd failed.\",\"error\":\"use of closed network connection\"}");
            cluster.stop(member);
        } else if (words.equals("systemctl is-active etcd")) {
            return new CommandRunner.Output(0, started ? "active\n" : "inactive\n", "");
        } else if (words.startsWith("systemctl show")) {
            return new CommandRunner.Output(
                    0,
                    "LoadState=loaded\nActiveState=%s\nNRestarts=%d\nResult=exit-code\n"
                            .formatted(started ? "active" : "inactive", ends),
                    "");
        } else if (words.startsWith("journalctl")) {
            return new CommandRunner.Output(0, String.join("\n", log) + "\n", "");
        }
        return new CommandRunner.Output(0, "", "");
    }

    private void start() {
        started = true;
        String version = files.text("/opt/bin/etcd");
        if (broken.contains(version)) {
            ends = 3;
            log.add("{\"level\":\"fatal\",\"msg\":\"it is broken\"}");
            cluster.stop(member);
            return;
        }
        ends = 0;
        cluster.version(member, version);
        cluster.start(member, "cp-1");
    }

    /** The power goes and comes: systemd starts what is there. */
    void reboot() {
        start();
        waiter.pause("", "", Duration.ofMinutes(2));
    }

    private CommandRunner runner(HostFiles disk) {
        return new MemorySystemd(command -> answer(disk, command));
    }

    /** Has all releases but those that are missing. */
    private EtcdPrograms programs(HostFiles disk) {
        return new MemoryPrograms(
                runner(disk),
                disk,
                version -> Optional.of(Map.of(
                                "etcd", version.toString(),
                                "etcdctl", "ctl " + version,
                                "etcdutl", "utl " + version))
                        .filter(_ -> !missing.contains(version.toString())));
    }

    private EtcdVersionChange change(HostFiles disk, EtcdCluster etcd) {
        Machine machine = new Machine(
                disk, runner(disk), new MemoryRuntime(), url -> "refused", waiter, waiter);
        EtcdClients clients = NoKubernetes.clients(disk, access -> etcd, waiter);
        return new EtcdVersionChange(
                machine,
                new EtcdCheckup(new LabProbes().ports(() -> etcd).etcd(), waiter),
                new EtcdService(
                        new SystemdEtcd(machine, EtcdHostPaths.standard()),
                        clients,
                        programs(disk),
                        lock,
                        PlainOptions.NONE,
                        Failpoints.none(),
                        out),
                out);
    }

    void apply(EtcdOrder order) {
        change(files, cluster).apply(order);
    }

    void plan(EtcdOrder order) {
        change(files, cluster).plan(order);
    }

    /** Applies it until the power goes; whether it went. */
    boolean cut(PowerCut.Socket socket, EtcdOrder order) {
        try {
            change(socket.plug(HostFiles.class, files), socket.plug(EtcdCluster.class, cluster))
                    .apply(order);
        } catch (PowerCut e) {
            if (!e.at(socket)) {
                throw e;
            }
        }
        return socket.wasCut();
    }

    String environment() {
        return files.text(ENVIRONMENT);
    }

    String running() {
        return cluster.status(URI.create("http://127.0.0.1:2379")).version().toString();
    }
}
