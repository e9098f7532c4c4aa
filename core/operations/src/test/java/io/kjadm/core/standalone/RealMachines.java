package io.kjadm.core.standalone;

import io.kjadm.core.cri.MemoryRuntime;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.etcd.ca.CaRotationKey;
import io.kjadm.core.etcd.ca.EtcdCaRotation;
import io.kjadm.core.etcd.ca.JetcdRotationCluster;
import io.kjadm.core.etcd.ca.RotationAcceptance;
import io.kjadm.core.etcd.ca.TlsCertificateProbe;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.Scheduler;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.SteadyClock;
import io.kjadm.core.phase.SystemWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.EtcdValues;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.JetcdQueue;
import io.kjadm.etcd.JetcdValues;
import io.kjadm.manifests.StandaloneEtcd.Directories;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.PrivateKeyPem;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/** Machines with an etcd of its own whose members are real, with files of their own; no systemd. */
final class RealMachines implements AutoCloseable {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final CertificateKey KEY = CertificateKey.generate();
    private static final KeyPairPool KEYS = KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256);

    final RecordingReporter out = new RecordingReporter();
    final Waiter waiter = new SystemWaiter(new SteadyClock(), out);
    final List<Real> machines = new ArrayList<>();
    final EtcdBinary binary;
    /** How a member ends that is stopped. */
    Consumer<EtcdProcess> end = EtcdProcess::stop;

    RealMachines(Path folder, int voters) throws IOException {
        Map<String, URI> peers = new LinkedHashMap<>();
        for (int i = 1; i <= voters; i++) {
            peers.put("etcd" + i, secured(EtcdProcess.freeUrl()));
        }
        binary = EtcdBinary.anyOf(version -> true);
        Optional<CertificateAuthority> ca = Optional.empty();
        for (EtcdProcess bare : EtcdProcess.together(binary, folder.resolve("data"), peers)) {
            Real machine = new Real(folder.resolve(bare.name()), bare, ca);
            ca = Optional.of(machine.authority());
            machines.add(machine);
        }
        for (Real machine : machines) {
            machine.process.start();
        }
        machines.forEach(Real::awaitServing);
    }

    private static URI secured(URI url) {
        return EtcdUrls.of("https", "127.0.0.1", url.getPort());
    }

    /** A client of all members that has what a machine gives to control planes. */
    EtcdValues client(ExternalEtcdFile file) {
        return JetcdValues.open(new EtcdAccess(
                machines.stream().map(machine -> machine.client).toList(),
                file.caPem(),
                file.certPem(),
                PrivateKeyPem.toPkcs8(file.keyPem())));
    }

    @Override
    public void close() {
        machines.forEach(machine -> machine.process.close());
    }

    /** A machine. */
    final class Real implements CommandRunner {
        final EtcdHostPaths paths;
        final URI client;
        final EtcdProcess process;
        /** What happens before a stop. */
        Runnable beforeStop = () -> {};
        /** What happens before a start. */
        Runnable beforeStart = () -> {};

        private final DiskFiles files = new DiskFiles();

        private Real(Path root, EtcdProcess bare, Optional<CertificateAuthority> known)
                throws IOException {
            this.paths = new EtcdHostPaths(
                    root.resolve("etc"),
                    root.resolve("unit"),
                    root.resolve("state"),
                    root.resolve("cache"));
            this.client = secured(bare.clientUrl());
            Path pki = paths.certificatesDir();
            Files.createDirectories(pki);
            EtcdCertificates made = new EtcdCertificates(files, KEYS, waiter.now(), out);
            if (known.isPresent()) {
                Files.writeString(pki.resolve("ca.crt"), known.get().certificatePem());
                Files.writeString(pki.resolve("ca.key"), known.get().keyPem().orElseThrow());
            }
            made.provide(
                    new MemberSettings(
                            bare.name(),
                            EtcdVersion.parse("3.5.30"),
                            InetAddress.ofLiteral("127.0.0.1"),
                            new Directories(bare.dataDir(), pki, root),
                            List.of(),
                            List.of()),
                    made.foundAuthority(pki));
            Files.writeString(paths.environment(), """
                    ETCD_NAME=%s
                    ETCD_INITIAL_ADVERTISE_PEER_URLS=%s
                    ETCD_ADVERTISE_CLIENT_URLS=%s
                    ETCD_LISTEN_CLIENT_URLS=%s
                    ETCD_CERT_FILE=%s/server.crt
                    ETCD_DATA_DIR=%s
                    """.formatted(
                            bare.name(), bare.peerUrl(), client, client, pki, bare.dataDir()));
            new ExternalEtcdFile(
                            List.of(client),
                            text("ca.crt"),
                            text("apiserver-etcd-client.crt"),
                            text("apiserver-etcd-client.key"))
                    .write(files, paths.externalEtcd());
            this.process = bare.with(
                    EtcdProcess.WHOLE_LOG,
                    "--heartbeat-interval=50",
                    "--election-timeout=500",
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
        }

        String text(String file) {
            return files.read(paths.certificatesDir().resolve(file)).orElseThrow();
        }

        CertificateAuthority authority() {
            return CertificateAuthority.load(text("ca.crt"), Optional.of(text("ca.key")));
        }

        ExternalEtcdFile forControlPlanes() {
            return ExternalEtcdFile.read(files, paths.externalEtcd());
        }

        private EtcdClients clients() {
            return new EtcdClients(
                    files,
                    new KubeClients(files, access -> {
                        throw new AssertionError("no API server is needed");
                    }),
                    new JetcdConnector(),
                    waiter);
        }

        private void awaitServing() {
            waiter.until(
                    new Waiter.Await("lab", client + " to serve", LONG, Duration.ofMillis(100), ""),
                    () -> {
                        EtcdClients clients = clients();
                        try (var etcd = clients.connect(
                                clients.to(List.of(client), paths.certificatesDir()))) {
                            return etcd.status(client).leaderId().isNone()
                                    ? Waiter.Attempt.<Boolean>notYet("no leader")
                                    : Waiter.Attempt.done(true);
                        } catch (EtcdCallException e) {
                            return Waiter.Attempt.notYet(e.text());
                        }
                    });
        }

        private SystemdEtcd etcd() {
            return new SystemdEtcd(
                    new Machine(files, this, new MemoryRuntime(), url -> "", waiter, waiter),
                    paths);
        }

        /** Runs the command as its operator does. */
        void rotate(Confirmation confirmation) {
            EtcdCertificateRenewal certificates =
                    new EtcdCertificateRenewal(etcd(), clients(), new TlsCertificateProbe(), out);
            new EtcdCaRotation(
                            files,
                            KEYS,
                            certificates.rotated(KEYS, MembershipLock.none()),
                            new CaRotationKey.Carried(Optional.of(KEY)),
                            new JetcdRotationCluster(
                                    clients(),
                                    etcd().state(),
                                    paths.certificatesDir(),
                                    JetcdValues::open),
                            waiter,
                            out,
                            Failpoints.none(),
                            RotationAcceptance.Limits.STANDARD)
                    .run(Duration.ZERO, confirmation);
        }

        /** {@code kjadm etcd certs renew}. */
        void renew() {
            new EtcdCertificateRenewal(etcd(), clients(), new TlsCertificateProbe(), out)
                    .renew(KEYS, MembershipLock.none());
        }

        /** {@code kjadm etcd teardown --delete-data}, with the lock in etcd. */
        void tearDown() {
            MembershipLock lock = new LeaseLocks(files, waiter, Scheduler.NEVER, new Random(1))
                    .inEtcd(
                            () -> JetcdQueue.open(
                                    clients().to(List.of(client), paths.certificatesDir())),
                            process.name(),
                            out);
            new EtcdReset(
                            etcd(),
                            clients(),
                            lock,
                            EtcdReset.Options.teardown(false, true),
                            Failpoints.none(),
                            out)
                    .run();
        }

        @Override
        public Output run(List<String> command, Duration limit) {
            String words = String.join(" ", command);
            if (words.equals("systemctl stop etcd")) {
                beforeStop.run();
                end.accept(process);
            } else if (words.startsWith("systemctl start")) {
                beforeStart.run();
                start();
            } else if (words.equals("systemctl is-active etcd")) {
                return new Output(0, process.alive() ? "active\n" : "inactive\n", "");
            }
            return new Output(0, "LoadState=loaded\n", "");
        }

        private void start() {
            try {
                process.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public boolean isInstalled(String program) {
            return program.equals("systemctl");
        }
    }
}
