package io.kjadm.core.standalone;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.ca.CertificateProbe.Answer;
import io.kjadm.core.etcd.ca.Expirations;
import io.kjadm.core.etcd.ca.Expirations.Expiration;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.manifests.StandaloneEtcd.Directories;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The certificates of a member that systemd runs are told of and made anew. */
class EtcdCertificateRenewalTest {

    private static final Path DIRECTORY = Path.of("/etc/etcd/pki");
    private static final List<String> ALL =
            List.of("server", "peer", "etcdctl-etcd-client", "apiserver-etcd-client");

    private MemoryFiles files;
    private SimulatedCluster cluster;
    private VirtualWaiter waiter;
    private RecordingReporter out;
    private CertificateAuthority ca;
    private final List<String> commands = new ArrayList<>();
    /** What the etcd that runs has read when it was started. */
    private final Map<Integer, CertificateInfo> shown = new HashMap<>();

    private void machine(int voters) {
        files = new MemoryFiles();
        waiter = new VirtualWaiter();
        out = new RecordingReporter();
        commands.clear();
        cluster = SimulatedCluster.ofVoters(voters);
        cluster.local("cp-1");
        cluster.leadBy(cluster.id("cp-1"));
        files.with("/etc/etcd/etcd.env", """
                ETCD_NAME=cp-1
                ETCD_INITIAL_ADVERTISE_PEER_URLS=https://cp-1:2380
                ETCD_ADVERTISE_CLIENT_URLS=https://cp-1:2379
                ETCD_LISTEN_CLIENT_URLS=https://cp-1:2379,https://127.0.0.1:2379
                ETCD_CERT_FILE=/etc/etcd/pki/server.crt
                ETCD_DATA_DIR=/var/lib/etcd
                """);
        EtcdCertificates made = new EtcdCertificates(
                files,
                KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256),
                waiter.now().minus(Duration.ofDays(360)),
                out);
        ca = made.foundAuthority(DIRECTORY);
        made.provide(
                new MemberSettings(
                        "cp-1",
                        EtcdVersion.parse("3.5.30"),
                        InetAddress.ofLiteral("10.0.0.1"),
                        new Directories(Path.of("/var/lib/etcd"), DIRECTORY, Path.of("/opt/bin")),
                        List.of("etcd.example"),
                        List.of()),
                ca);
        start();
    }

    private void start() {
        shown.put(2379, certificate("server"));
        shown.put(2380, certificate("peer"));
        cluster.start(cluster.id("cp-1"), "cp-1");
    }

    private CertificateInfo certificate(String base) {
        return CertificateInfo.parse(files.text(DIRECTORY + "/" + base + ".crt"));
    }

    private CommandRunner runner() {
        return new CommandRunner() {
            private boolean runs = true;

            @Override
            public Output run(List<String> command, Duration limit) {
                String words = String.join(" ", command);
                commands.add(words);
                if (words.equals("systemctl stop etcd")) {
                    runs = false;
                    cluster.stop(cluster.id("cp-1"));
                } else if (words.startsWith("systemctl start")) {
                    runs = true;
                    start();
                } else if (words.equals("systemctl is-active etcd")) {
                    return new Output(0, runs ? "active\n" : "inactive\n", "");
                }
                return new Output(0, "LoadState=loaded\n", "");
            }

            @Override
            public boolean isInstalled(String program) {
                return program.equals("systemctl");
            }
        };
    }

    private EtcdCertificateRenewal renewal(HostFiles disk) {
        return new EtcdCertificateRenewal(
                new SystemdEtcd(
                        new Machine(disk, runner(), new MemoryRuntime(), url -> "", waiter, waiter),
                        EtcdHostPaths.standard()),
                NoKubernetes.clients(disk, access -> cluster, waiter),
                url -> new Answer.Shown(shown.get(url.getPort())),
                out);
    }

    private void renew() {
        renew(files);
    }

    private void renew(HostFiles disk) {
        renewal(disk).renew(KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256), MembershipLock.none());
    }

    private boolean restarted() {
        return commands.stream().anyMatch(command -> command.startsWith("systemctl stop"));
    }

    private void assertPairs(String when) {
        for (String base : ALL) {
            assertTrue(
                    certificate(base).matchesKey(files.text(DIRECTORY + "/" + base + ".key")),
                    base + " " + when);
            ca.verify(files.text(DIRECTORY + "/" + base + ".crt"), waiter.now());
        }
    }

    @Test
    void allAreShownWithWhatIsServed() {
        machine(3);
        files.delete(DIRECTORY.resolve("apiserver-etcd-client.crt"));

        Expirations told = renewal(files).check();

        assertEquals(ALL, told.certificates().stream().map(Expiration::name).toList());
        assertEquals(
                Optional.of(certificate("server").notAfter()),
                told.certificates().getFirst().end());
        assertEquals(Optional.empty(), told.certificates().getLast().end());
        assertEquals("ca", told.authorities().getFirst().name());
        assertFalse(told.authorities().getFirst().external());
        assertEquals(
                List.of("cp-1:2379", "cp-1:2380"),
                told.served().stream().map(Expirations.Served::server).toList());
        files.delete(DIRECTORY.resolve("ca.key"));
        assertTrue(renewal(files).check().certificates().getFirst().external());
    }

    @Test
    void theyAreMadeAnewForTheSameAndServed() {
        machine(3);
        CertificateInfo before = certificate("server");

        renew();

        CertificateInfo after = certificate("server");
        assertNotEquals(before.serialNumber(), after.serialNumber());
        assertEquals(before.names(), after.names());
        assertEquals(before.commonName(), after.commonName());
        assertEquals(before.usages(), after.usages());
        assertTrue(after.notAfter().isAfter(waiter.now().plus(Duration.ofDays(364))));
        assertEquals(after, shown.get(2379));
        assertPairs("");
        assertFalse(cluster.leader().equals(cluster.id("cp-1")), "it handed over first");
        String external = files.text("/etc/etcd/external-etcd.yaml");
        assertHasLine("- https://cp-3:2379", external);
        assertTrue(
                external.contains(certificate("apiserver-etcd-client")
                        .pem()
                        .lines()
                        .skip(1)
                        .findFirst()
                        .orElseThrow()
                        .strip()),
                external);
    }

    @Test
    void theyAreNewEvenWhereTheOthersNeedTheMember() {
        machine(3);
        cluster.stop(cluster.id("cp-3"));
        CertificateInfo before = certificate("server");
        assertReason(CommonReason.NEEDED_FOR_QUORUM, ClusterException.class, this::renew);
        assertFalse(restarted());
        assertNotEquals(before, certificate("server"));
        assertPairs("");
        cluster.start(cluster.id("cp-3"), "cp-3");
        renew();
        assertEquals(certificate("server"), shown.get(2379));
    }

    /** F305: etcd would start as the only member of its cluster, and the others would end. */
    @Test
    void oneThatWouldRemoveTheOthersWhenItStartsIsNotRestarted() {
        machine(3);
        String environment = files.text("/etc/etcd/etcd.env");
        files.with("/etc/etcd/etcd.env", environment + "ETCD_FORCE_NEW_CLUSTER=true\n");
        assertReason(CommonReason.STARTS_ALONE, ClusterException.class, this::renew);
        assertFalse(restarted());

        // nobody who answers may also be nobody who can be asked
        List.of("cp-1", "cp-2", "cp-3").forEach(name -> cluster.stop(cluster.id(name)));
        assertReason(CommonReason.STARTS_ALONE, ClusterException.class, this::renew);
        assertFalse(restarted());

        List.of("cp-1", "cp-2", "cp-3").forEach(name -> cluster.start(cluster.id(name), name));
        files.with("/etc/etcd/etcd.env", environment + "ETCD_FORCE_NEW_CLUSTER=false\n");
        renew();
        assertTrue(restarted());
    }

    @Test
    void theOnlyMemberMayStartAlone() {
        machine(1);
        files.with(
                "/etc/etcd/etcd.env",
                files.text("/etc/etcd/etcd.env") + "ETCD_FORCE_NEW_CLUSTER=1\n");
        renew();
        assertTrue(restarted());
    }

    @Test
    void theOnlyMemberIsRestarted() {
        machine(1);
        renew();
        assertTrue(restarted());
        assertEquals(certificate("peer"), shown.get(2380));
    }

    /** A rotation was killed when it had put the new CA's key in place. */
    @Test
    void aCaWhoseExchangeWasInterruptedIsFinishedFirst() {
        machine(3);
        CertificateAuthority next = CertificateAuthority.create(
                "etcd-ca",
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(waiter.now(), Duration.ofDays(3650)));
        String both = next.certificatePem() + ca.certificatePem();
        files.with(DIRECTORY + "/.ca.crt.renewed", both);
        files.with(DIRECTORY + "/ca.key", next.keyPem().orElseThrow());

        renew();

        assertEquals(both, files.text(DIRECTORY + "/ca.crt"));
        ca = next;
        assertPairs("");
    }

    @Test
    void withoutTheKeyOfTheCaNothingIsChanged() {
        machine(3);
        files.delete(DIRECTORY.resolve("ca.key"));
        CertificateInfo before = certificate("server");
        assertReason(CommonReason.CA_CANNOT_SIGN, HostException.class, this::renew);
        assertEquals(before, certificate("server"));
        assertFalse(restarted());
    }

    /** A join that was refused has made certificates before. */
    @Test
    void whereNoMemberWasSetUpNothingIsChanged() {
        machine(3);
        files.delete(EtcdHostPaths.standard().environment());
        CertificateInfo before = certificate("server");
        HostException refused = assertThrows(HostException.class, this::renew);
        assertEquals(
                "run this on a machine that has a member; 'kjadm etcd join' resumes an interrupted join",
                refused.next());
        assertEquals(before, certificate("server"));
        assertFalse(restarted());
    }

    @Test
    void oneThatCannotBeReadStopsItBeforeAnyIsChanged() {
        machine(3);
        CertificateInfo before = certificate("server");
        files.with(DIRECTORY + "/apiserver-etcd-client.crt", "no certificate");
        assertThrows(HostException.class, this::renew);
        assertEquals(before, certificate("server"));
    }

    @Tag("power-cut")
    @Test
    void thePowerMayGoBehindEveryChange() {
        int cuts = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            machine(3);
            try {
                renew(socket.plug(HostFiles.class, files));
            } catch (PowerCut e) {
                assertTrue(e.at(socket));
            }
            if (!socket.wasCut()) {
                break;
            }
            cuts = socket.step();
            renew();
            assertPairs(socket.toString());
            assertEquals(certificate("server"), shown.get(2379), socket::toString);
            assertEquals(
                    Stream.of(
                                    "etcd.env",
                                    "external-etcd.yaml",
                                    "pki/apiserver-etcd-client.crt",
                                    "pki/apiserver-etcd-client.key",
                                    "pki/ca.crt",
                                    "pki/ca.key",
                                    "pki/etcdctl-etcd-client.crt",
                                    "pki/etcdctl-etcd-client.key",
                                    "pki/peer.crt",
                                    "pki/peer.key",
                                    "pki/server.crt",
                                    "pki/server.key")
                            .map(Path.of("/etc/etcd")::resolve)
                            .toList(),
                    List.copyOf(files.files()),
                    socket::toString);
        }
        assertTrue(cuts > 12, "the power went " + cuts + " times only");
    }
}
