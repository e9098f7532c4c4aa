package io.kjadm.core.certs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.ca.CaRotationKey;
import io.kjadm.core.etcd.ca.CertificateProbe;
import io.kjadm.core.etcd.ca.EtcdCaRotation;
import io.kjadm.core.etcd.ca.EtcdRestart;
import io.kjadm.core.etcd.ca.JetcdRotationCluster;
import io.kjadm.core.etcd.ca.RotationAcceptance;
import io.kjadm.core.etcd.ca.TlsCertificateProbe;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.SteadyClock;
import io.kjadm.core.phase.SystemWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.EtcdValues;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.JetcdValues;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Control-plane nodes whose etcd members are real, with files of their own, on this machine. */
public final class RotationLab implements AutoCloseable {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final CertificateKey KEY = CertificateKey.generate();
    private static final KeyAlgorithm ALGORITHM = KeyAlgorithm.ECDSA_P256;

    public final RecordingReporter out = new RecordingReporter();
    final Waiter waiter = new SystemWaiter(new SteadyClock(), out);
    public final CertificateAuthority former = CertificateAuthority.create(
            "etcd-ca", ALGORITHM, Validity.startingAt(Instant.now(), Duration.ofDays(3650)));
    public final List<Node> nodes = new ArrayList<>();
    /** In which every member has to answer; who waits in vain waits that long. */
    public Duration acceptance = Duration.ofSeconds(5);

    private final List<String> beats;
    private final ReentrantLock turn = new ReentrantLock();

    public RotationLab(Path folder, int count) throws IOException {
        // one alone is in nobody's way, and elects itself the sooner
        beats = count == 1
                ? List.of("--heartbeat-interval=10", "--election-timeout=100")
                : List.of("--heartbeat-interval=50", "--election-timeout=500");
        EtcdBinary binary = EtcdBinary.anyOf(version -> true);
        Map<String, URI> peers = new LinkedHashMap<>();
        for (int i = 1; i <= count; i++) {
            peers.put("cp-" + i, secured(EtcdProcess.freeUrl()));
        }
        for (EtcdProcess process : EtcdProcess.together(binary, folder.resolve("data"), peers)) {
            nodes.add(new Node(folder, "cp-" + (nodes.size() + 1), process));
        }
        for (Node node : nodes) {
            node.process.start();
        }
        for (Node node : nodes) {
            node.awaitServing();
        }
        nodes.stream().findFirst().ifPresent(Node::awaitAllPublished);
    }

    private static URI secured(URI url) {
        return EtcdUrls.of("https", "127.0.0.1", url.getPort());
    }

    public Node node(int number) {
        return nodes.get(number - 1);
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.process.close());
    }

    /** One node. */
    public final class Node implements CertificateUsers {
        final String name;
        final CertsNode certs;
        public final URI client;
        public EtcdProcess process;
        /** How a restart ends the process; a member alone has nobody to say goodbye to. */
        public Consumer<EtcdProcess> end = EtcdProcess::stop;
        /** How long other members may be away. */
        public RotationAcceptance.Limits acceptance =
                new RotationAcceptance.Limits(Duration.ofSeconds(5), LONG);
        /** The certificate key that its operator has. */
        public CaRotationKey key = new CaRotationKey.Carried(Optional.of(KEY));
        /** What happens before a restart. */
        public Runnable beforeRestart = () -> {};

        Node(Path folder, String name, EtcdProcess bare) throws IOException {
            this.name = name;
            this.client = secured(bare.clientUrl());
            Path root = folder.resolve(name);
            KubernetesPaths paths =
                    new KubernetesPaths(root, root.resolve("kubelet"), root.resolve("pki"));
            this.certs = new CertsNode(paths, true, ALGORITHM, CertsLab.YEAR, Instant.now());
            Files.createDirectories(root.resolve("pki/etcd"));
            Files.createDirectories(paths.manifestsDir());
            write(CertificateSet.named(CertificateSet.ETCD_CA), former);
            String pki = root.resolve("pki/etcd").toString();
            this.process = bare.with(beats.toArray(String[]::new))
                    .with(
                            "--listen-client-urls=" + client,
                            "--advertise-client-urls=" + client,
                            "--client-cert-auth=true",
                            "--trusted-ca-file=" + pki + "/ca.crt",
                            "--cert-file=" + pki + "/server.crt",
                            "--key-file=" + pki + "/server.key",
                            "--peer-client-cert-auth=true",
                            "--peer-trusted-ca-file=" + pki + "/ca.crt",
                            "--peer-cert-file=" + pki + "/peer.crt",
                            "--peer-key-file=" + pki + "/peer.key");
            Files.writeString(paths.manifest("etcd"), """
                    apiVersion: v1
                    kind: Pod
                    spec:
                      containers:
                      - name: etcd
                        command:
                        - etcd
                        - --name=%s
                        - --listen-client-urls=%s
                        - --advertise-client-urls=%s
                        - --listen-peer-urls=%s
                        - --initial-advertise-peer-urls=%s
                        - --cert-file=%s/server.crt
                        - --peer-cert-file=%s/peer.crt
                      volumes:
                      - {name: etcd-data, hostPath: {path: %s}}
                    """.formatted(
                            name,
                            client,
                            client,
                            bare.peerUrl(),
                            bare.peerUrl(),
                            pki,
                            pki,
                            bare.dataDir()));
        }

        private void write(CertificateSpec ca, CertificateAuthority authority) throws IOException {
            Files.writeString(certs.certificate(ca), authority.certificatePem());
            Files.writeString(certs.pair(ca).key(), authority.keyPem().orElseThrow());
            for (CertificateSpec spec : CertificateSet.signedBy(ca.name())) {
                IssuedCertificate pair = authority.issue(
                        spec.requestFor(
                                name,
                                new SubjectNames(
                                        List.of("localhost"),
                                        List.of(InetAddress.ofLiteral("127.0.0.1")))),
                        ALGORITHM,
                        Validity.startingAt(Instant.now(), CertsLab.YEAR));
                Files.writeString(certs.certificate(spec), pair.certificatePem());
                Files.writeString(certs.pair(spec).key(), pair.keyPem());
            }
        }

        public void awaitServing() {
            await("to serve", etcd -> !etcd.status(client).leaderId().isNone());
        }

        /** A member that has just started lists no client URL for a moment. */
        private void awaitAllPublished() {
            await(
                    "to know all client URLs",
                    etcd -> etcd.members().stream()
                            .noneMatch(member -> member.clientUrls().isEmpty()));
        }

        private void await(String what, Predicate<EtcdCluster> there) {
            EtcdClients clients = clients(new DiskFiles());
            waiter.until(
                    new Waiter.Await("lab", name + " " + what, LONG, Duration.ofMillis(100), ""),
                    () -> {
                        try (var etcd = clients.connect(clients.to(List.of(client), pki()))) {
                            return there.test(etcd)
                                    ? Waiter.Attempt.done(true)
                                    : Waiter.Attempt.<Boolean>notYet("not yet");
                        } catch (EtcdCallException e) {
                            return Waiter.Attempt.notYet(e.text());
                        }
                    });
        }

        public void assertHistoryCompacted() {
            EtcdClients clients = clients(new DiskFiles());
            try (var etcd = clients.connect(clients.to(List.of(client), pki()))) {
                assertTrue(etcd.hashKv(client, 0).compactRevision() > 0, name);
            }
        }

        public Path pki() {
            return certs.paths().certificatesDir();
        }

        EtcdClients clients(HostFiles files) {
            EtcdConnector connector = new JetcdConnector();
            return new EtcdClients(
                    files,
                    new KubeClients(files, access -> {
                        throw new AssertionError("no API server is needed");
                    }),
                    connector,
                    waiter);
        }

        /** Everybody who asks by all endpoints, as this node's files prove it. */
        public EtcdValues values() {
            EtcdAccess own = clients(new DiskFiles()).to(List.of(client), pki());
            return JetcdValues.open(new EtcdAccess(
                    nodes.stream().map(node -> node.client).toList(),
                    own.caPem(),
                    own.certPem(),
                    own.keyPem()));
        }

        /** The rotation as this node's operator runs it. */
        public EtcdCaRotation rotation(UnaryOperator<HostFiles> port) {
            HostFiles files = port.apply(new DiskFiles());
            EtcdClients clients = clients(files);
            KeyPairPool keys = KeyPairPool.onDemand(ALGORITHM);
            return new EtcdCaRotation(
                    files,
                    keys,
                    new RotatedControlPlaneNode(certs, files, keys, this, out),
                    key,
                    new JetcdRotationCluster(
                            clients,
                            LocalEtcdState.look(files, certs.paths()),
                            pki(),
                            JetcdValues::open),
                    waiter,
                    out,
                    Failpoints.none(),
                    acceptance);
        }

        public void rotate(Duration wait) {
            rotation(UnaryOperator.identity()).run(wait, (area, question) -> true);
        }

        @Override
        public void restart(CertsNode node, List<ManagedCertificate> certificates) {
            beforeRestart.run();
            HostFiles files = new DiskFiles();
            new EtcdRestart(
                            clients(files),
                            LocalEtcdState.look(files, certs.paths()),
                            certs.paths().certificatesDir(),
                            lock(),
                            waiter,
                            out,
                            EtcdRestart.Purpose.caRotation(LONG))
                    .guard(() -> {
                        end.accept(process);
                        startAgain();
                        awaitServing();
                    });
        }

        public void startAgain() {
            try {
                process.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void awaitShown(CertsNode node, String component) {
            waiter.until(
                    new Waiter.Await("lab", "new certificates", LONG, Duration.ofMillis(100), ""),
                    () -> shown().equals(CertificateInfo.parse(read("etcd/server.crt")))
                            ? Waiter.Attempt.done(true)
                            : Waiter.Attempt.<Boolean>notYet("old"));
        }

        /** The certificate that its etcd shows to clients. */
        public CertificateInfo shown() {
            return switch (new TlsCertificateProbe().look(client)) {
                case CertificateProbe.Answer.Shown(var certificate) -> certificate;
                case CertificateProbe.Answer.Unseen(var why) -> throw new AssertionError(why);
            };
        }

        public String read(String file) {
            try {
                return Files.readString(pki().resolve(file));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private MembershipLock lock() {
            return (work, wait) -> {
                turn.lock();
                return new HeldLock() {
                    @Override
                    public void tell(MembershipLock.Work now) {}

                    @Override
                    public void close() {
                        turn.unlock();
                    }
                };
            };
        }
    }
}
