package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.etcd.MemoryValues;
import io.kjadm.core.etcd.ca.CaRotationCluster;
import io.kjadm.core.etcd.ca.CaRotationKey;
import io.kjadm.core.etcd.ca.CertificateProbe.Answer;
import io.kjadm.core.etcd.ca.EtcdCaRotation;
import io.kjadm.core.etcd.ca.RotationAcceptance;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.CrashStates;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdValues;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.manifests.StandaloneEtcd.Directories;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Machines with members of one etcd, in memory, and clients that have what they were given. An etcd
 * reads its CAs when it starts, and its certificates for each connection. After each change
 * everybody has to be able to talk to everybody.
 */
final class RotatingMachines {

    static final Path PKI = Path.of("/etc/etcd/pki");
    static final Path EXTERNAL = Path.of("/etc/etcd/external-etcd.yaml");
    private static final KeyPairPool KEYS = KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256);
    /** What the operator carries from machine to machine. */
    private static final CertificateKey KEY = CertificateKey.generate();

    static final Confirmation YES = Confirmation.GIVEN;
    static final Confirmation UNASKED = (area, question) -> {
        throw new AssertionError("it asked: " + question);
    };

    /** The program is gone; nothing behind this is done. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1;

        private final boolean deleting;

        Killed() {
            deleting = false;
        }

        private Killed(Method change, String state) {
            super(change.getName() + ", " + state);
            deleting = change.getName().equals("delete");
        }

        /** Whether it was about to delete a file, which may be gone. */
        boolean deleting() {
            return deleting;
        }
    }

    final VirtualWaiter waiter = new VirtualWaiter();
    final RecordingReporter out = new RecordingReporter();
    final SimulatedCluster cluster;
    final List<Rotating> machines = new ArrayList<>();
    final Map<String, String> values = new TreeMap<>();
    final CertificateAuthority former = CertificateAuthority.create(
            "etcd-ca",
            KeyAlgorithm.ECDSA_P256,
            Validity.startingAt(waiter.now().minus(Duration.ofDays(300)), Duration.ofDays(3650)));
    /** Whether CAs are trusted to have signed a certificate: everybody is asked again and again. */
    private final Map<String, Boolean> judged = new HashMap<>();
    /** An API server's CA and certificate. */
    Optional<ExternalEtcdFile> client = Optional.empty();
    /** How often etcd's history was removed. */
    int compactions;
    /** How many more changes are made before the program is killed. */
    int changes = Integer.MAX_VALUE;
    /** Chooses what is on the disk then; it is killed before the change if there is none. */
    Optional<Random> powerCut = Optional.empty();

    RotatingMachines(int voters) {
        cluster = SimulatedCluster.ofVoters(voters);
        for (int i = 1; i <= voters; i++) {
            machines.add(new Rotating("cp-" + i, former.certificatePem(), former));
        }
        clientTakes(machine(1));
    }

    Rotating machine(int number) {
        return machines.get(number - 1);
    }

    /** A further machine with what is in that one's bundle; its member has joined. */
    Rotating join(String name, Rotating from) {
        cluster.plant(SimulatedCluster.peerUrl(name), false);
        CaBundle bundle = new EtcdCertificates(from.files, KEYS, waiter.now(), out).bundle(PKI);
        Rotating machine = new Rotating(name, bundle.certificatesPem(), bundle.authority());
        cluster.start(cluster.members().getLast().id(), name);
        machines.add(machine);
        assertAllTalk();
        return machine;
    }

    /** Each machine does its part of a stage. */
    void round() {
        machines.forEach(machine -> machine.rotate(YES));
    }

    /** How often they have told it. */
    int count(String text) {
        return out.text().split(text, -1).length - 1;
    }

    /** How many CAs a bundle has. */
    static int cas(String pem) {
        return CertificateInfo.parseAll(pem).size();
    }

    void clientTakes(Rotating machine) {
        client = Optional.of(ExternalEtcdFile.read(machine.files, EXTERNAL));
    }

    private boolean trusts(String cas, String certificate) {
        return judged.computeIfAbsent(
                cas + certificate,
                _ -> CertificateInfo.parseAll(cas).stream()
                        .anyMatch(ca -> signed(ca, certificate)));
    }

    private boolean signed(CertificateInfo ca, String certificate) {
        try {
            CertificateAuthority.load(ca.pem(), Optional.empty()).verify(certificate, waiter.now());
            return true;
        } catch (PkiException e) {
            return false;
        }
    }

    private void assertAllTalk() {
        for (Rotating one : machines) {
            for (Rotating other : machines) {
                if (one.running && other.running && other.whole("peer")) {
                    assertTrue(
                            trusts(one.trusted, other.text("peer.crt")),
                            one.name + " does not trust " + other.name);
                }
            }
            client.filter(_ -> one.running && one.whole("server")).ifPresent(known -> {
                assertTrue(trusts(known.caPem(), one.text("server.crt")), "cut off: " + one.name);
                assertTrue(trusts(one.trusted, known.certPem()), "refused by " + one.name);
            });
        }
    }

    /** One more change, unless the program is killed before it. */
    private void change() {
        if (changes-- == 0) {
            throw new Killed();
        }
    }

    /** The same of a disk; a power cut may come within it. */
    private void change(Object port, Method method, Object... arguments) {
        if (changes == 0 && powerCut.isPresent() && port instanceof MemoryFiles files) {
            changes--;
            Random random = powerCut.get();
            throw new Killed(
                    method,
                    CrashStates.of(files, method, arguments, random)
                            .map(states -> states.leave(random.nextInt(states.count())))
                            .orElse("refused"));
        }
        change();
    }

    private <T> T changing(Class<T> port, T real, List<String> calls) {
        return port.cast(Proxy.newProxyInstance(
                port.getClassLoader(), new Class<?>[] {port}, (proxy, method, arguments) -> {
                    boolean changes = calls.contains(method.getName());
                    if (changes) {
                        change(real, method, arguments);
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        if (changes) {
                            assertAllTalk();
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** A machine. */
    final class Rotating implements CommandRunner, CaRotationCluster {

        final String name;
        final MemoryFiles files = new MemoryFiles();
        boolean running = true;
        Failpoints failpoints = Failpoints.none();
        /** The certificate key that its operator has. */
        CaRotationKey key = new CaRotationKey.Carried(Optional.of(KEY));

        private final MemberId id;
        private String trusted;

        private Rotating(String name, String cas, CertificateAuthority ca) {
            this.name = name;
            this.id = cluster.members().stream()
                    .filter(member -> member.peerUrls().contains(SimulatedCluster.peerUrl(name)))
                    .findFirst()
                    .orElseThrow()
                    .id();
            files.with("/etc/etcd/etcd.env", """
                    ETCD_NAME=%1$s
                    ETCD_INITIAL_ADVERTISE_PEER_URLS=https://%1$s:2380
                    ETCD_ADVERTISE_CLIENT_URLS=https://%1$s:2379
                    ETCD_LISTEN_CLIENT_URLS=https://%1$s:2379,https://127.0.0.1:2379
                    ETCD_CERT_FILE=/etc/etcd/pki/server.crt
                    ETCD_DATA_DIR=/var/lib/etcd
                    """.formatted(name));
            files.with(PKI + "/ca.crt", cas);
            files.with(PKI + "/ca.key", ca.keyPem().orElseThrow());
            new EtcdCertificates(files, KEYS, waiter.now(), out)
                    .provide(
                            new MemberSettings(
                                    name,
                                    EtcdVersion.parse("3.5.30"),
                                    InetAddress.ofLiteral("10.0.0.1"),
                                    new Directories(
                                            Path.of("/var/lib/etcd"), PKI, Path.of("/opt/bin")),
                                    List.of(),
                                    List.of()),
                            ca);
            new ExternalEtcdFile(
                            List.of(SimulatedCluster.peerUrl(name)),
                            cas,
                            text("apiserver-etcd-client.crt"),
                            text("apiserver-etcd-client.key"))
                    .write(files, EXTERNAL);
            this.trusted = cas;
        }

        String text(String file) {
            return files.text(PKI + "/" + file);
        }

        CertificateInfo certificate(String base) {
            return CertificateInfo.parse(text(base + ".crt"));
        }

        boolean whole(String base) {
            return certificate(base).matchesKey(text(base + ".key"));
        }

        boolean signedBy(CertificateAuthority ca) {
            return MemberCertificates.ALL.stream()
                    .allMatch(base -> trusts(ca.certificatePem(), text(base + ".crt")));
        }

        EtcdCertificateRenewal certificates() {
            cluster.local(name);
            HostFiles disk = changing(HostFiles.class, files, List.of("write", "delete"));
            return new EtcdCertificateRenewal(
                    new SystemdEtcd(
                            new io.kjadm.core.machine.Machine(
                                    disk, this, new MemoryRuntime(), url -> "", waiter, waiter),
                            EtcdHostPaths.standard()),
                    NoKubernetes.clients(disk, access -> cluster, waiter),
                    url -> new Answer.Shown(certificate(url.getPort() == 2380 ? "peer" : "server")),
                    out);
        }

        void renew() {
            certificates().renew(KEYS, MembershipLock.none());
        }

        EtcdCaRotation rotation() {
            return new EtcdCaRotation(
                    changing(HostFiles.class, files, List.of("write", "delete")),
                    KEYS,
                    certificates().rotated(KEYS, MembershipLock.none()),
                    key,
                    this,
                    waiter,
                    out,
                    failpoints,
                    RotationAcceptance.Limits.STANDARD);
        }

        void rotate(Confirmation confirmation) {
            rotate(Duration.ZERO, confirmation);
        }

        void rotate(Duration wait, Confirmation confirmation) {
            rotation().run(wait, confirmation);
        }

        @Override
        public Output run(List<String> command, Duration limit) {
            String words = String.join(" ", command);
            if (words.equals("systemctl stop etcd")) {
                change();
                running = false;
                cluster.stop(id);
            } else if (words.startsWith("systemctl start")) {
                change();
                start();
            } else if (words.equals("systemctl is-active etcd")) {
                return new Output(0, running ? "active\n" : "inactive\n", "");
            }
            return new Output(0, "LoadState=loaded\n", "");
        }

        void start() {
            running = true;
            trusted = text("ca.crt");
            cluster.start(id, name);
            assertAllTalk();
        }

        @Override
        public boolean isInstalled(String program) {
            return program.equals("systemctl");
        }

        @Override
        public List<Member> members() {
            return cluster.members();
        }

        @Override
        public MemberId own() {
            if (!running) {
                throw new ClusterException("etcd does not answer", "", "");
            }
            return id;
        }

        @Override
        public List<String> refusals(
                List<Member> members, String trustPem, CertificateAuthority signer) {
            String shown = signer.issue(
                            new LeafRequest(
                                    "asks",
                                    List.of(),
                                    List.of(ExtendedUsage.CLIENT_AUTH),
                                    SubjectNames.none()),
                            KeyAlgorithm.ECDSA_P256,
                            Validity.startingAt(waiter.now(), Duration.ofHours(1)))
                    .certificatePem();
            return machines.stream()
                    .filter(machine ->
                            members.stream().anyMatch(member -> member.id().equals(machine.id)))
                    .filter(machine -> !machine.running
                            || !trusts(trustPem, machine.text("server.crt"))
                            || !trusts(machine.trusted, shown))
                    .map(machine -> machine.name)
                    .toList();
        }

        @Override
        public <T> T values(Function<EtcdValues, T> work) {
            return work.apply(changing(
                    EtcdValues.class,
                    new MemoryValues(values),
                    List.of("create", "write", "removeAll", "removeAllIf")));
        }

        @Override
        public void compact() {
            change();
            compactions++;
        }
    }
}
