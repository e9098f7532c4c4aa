package io.kjadm.core.snapshot.drill;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Uninterrupted;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdKeys;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.PrivateKeyPem;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * An etcd as a process of this machine: on the loopback interface, with certificates that were made
 * for it alone, without a synced write, and without a peer.
 */
final class ScratchProcess implements ScratchEtcd {

    private static final String NAME = "drill";
    private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");
    private static final Duration INTERVAL = Duration.ofMillis(100);
    /** For 8 GiB, the largest that etcd recommends, on a slow disk. */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    private static final Duration END = Duration.ofSeconds(30);
    private static final int LAST_WORDS = 4096;
    private static final int TOKEN_BYTES = 16;
    /** A process that was ended by a signal has a status above it. */
    private static final int SIGNALLED = 128;

    private final Process process;
    private final URI url;
    private final EtcdCluster cluster;
    private final EtcdKeys keys;

    private ScratchProcess(Process process, URI url, EtcdCluster cluster, EtcdKeys keys) {
        this.process = process;
        this.url = url;
        this.cluster = cluster;
        this.keys = keys;
    }

    /**
     * Makes them of programs.
     *
     * @param random for the token of the cluster that each makes up, so a secure one
     */
    record Maker(
            DrillPrograms programs,
            HostFiles files,
            CommandRunner runner,
            EtcdConnector connector,
            Waiter waiter,
            RandomGenerator random)
            implements ScratchEtcd.Maker {

        @Override
        public EtcdVersion version() {
            return programs.version();
        }

        @Override
        public ScratchEtcd of(Path snapshot, Path work) {
            URI peer = freeUrl();
            Path data = work.resolve("data");
            restore(snapshot, data, peer);
            ScratchKeys keys = ScratchKeys.in(work, files, HERE, waiter.now());
            URI client = freeUrl();
            EtcdAccess access = keys.access(client);
            EtcdCluster cluster = connector.connect(access);
            EtcdKeys all = EtcdKeys.open(access);
            Path log = work.resolve("etcd.log");
            ScratchProcess made = new ScratchProcess(
                    start(command(data, peer, client, keys), log), client, cluster, all);
            try {
                awaitServing(made, log);
                return made;
            } catch (RuntimeException e) {
                made.close();
                throw e;
            }
        }

        /** Its sum was looked at already. */
        private void restore(Path snapshot, Path data, URI peer) {
            byte[] token = new byte[TOKEN_BYTES];
            random.nextBytes(token);
            Output output = runner.run(
                    List.of(
                            programs.tool().toString(),
                            "snapshot",
                            "restore",
                            snapshot.toString(),
                            "--skip-hash-check",
                            "--data-dir=" + data,
                            "--name=" + NAME,
                            "--initial-cluster=%s=%s".formatted(NAME, peer),
                            "--initial-advertise-peer-urls=" + peer,
                            "--initial-cluster-token=" + HexFormat.of().formatHex(token)),
                    LIMIT);
            if (!output.ok()) {
                throw ended("etcdutl", output.exitStatus(), output.stderr());
            }
        }

        private static List<String> command(Path data, URI peer, URI client, ScratchKeys keys) {
            List<String> flags = new ArrayList<>(List.of(
                    "--name=" + NAME,
                    "--data-dir=" + data,
                    "--initial-cluster=%s=%s".formatted(NAME, peer),
                    "--listen-peer-urls=" + peer,
                    "--initial-advertise-peer-urls=" + peer,
                    "--listen-client-urls=" + client,
                    "--advertise-client-urls=" + client,
                    "--unsafe-no-fsync",
                    // nothing is written but a compaction, whatever the size
                    "--quota-backend-bytes=-1",
                    "--log-level=warn"));
            flags.addAll(keys.flags(""));
            flags.addAll(keys.flags("peer-"));
            return flags;
        }

        /** Settings of another etcd, which it would take for its own, are not passed on. */
        private Process start(List<String> flags, Path log) {
            List<String> command = new ArrayList<>(flags);
            command.addFirst(programs.server().toString());
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("ETCD"));
            try {
                return builder.start();
            } catch (IOException e) {
                throw new HostException(
                        "cannot run " + programs.server(),
                        e.getMessage(),
                        "check that it may be executed, then run the command again",
                        e);
            }
        }

        private void awaitServing(ScratchProcess made, Path log) {
            waiter.until(
                    new Await(
                            "snapshot",
                            "the temporary etcd to serve the snapshot",
                            LIMIT,
                            INTERVAL,
                            "run the command again while the machine is less busy"),
                    () -> {
                        made.requireRunning(files, log);
                        try {
                            // linearizable: it leads, and has applied its log
                            made.cluster.members();
                            return Attempt.done(true);
                        } catch (EtcdCallException e) {
                            return Attempt.notYet(e.text());
                        }
                    });
        }
    }

    private void requireRunning(HostFiles files, Path log) {
        if (!process.isAlive()) {
            throw ended(
                    "etcd",
                    process.exitValue(),
                    files.readEnd(log, LAST_WORDS)
                            .map(end -> new String(end, StandardCharsets.UTF_8))
                            .orElse(""));
        }
    }

    private static RuntimeException ended(String program, int status, String words) {
        String last = Optional.of(words.strip().lines().toList())
                .filter(lines -> !lines.isEmpty())
                .map(List::getLast)
                .orElse("without a word");
        return status > SIGNALLED
                ? new HostException(
                        "%s was ended by signal %d".formatted(program, status - SIGNALLED),
                        last,
                        "make sure that there is enough memory, then run the command again")
                : new UnusableSnapshotException(
                        "%s does not accept it: it exited with status %d, %s"
                                .formatted(program, status, last));
    }

    private static URI freeUrl() {
        try (ServerSocket socket = new ServerSocket(0, 1, HERE)) {
            return EtcdUrls.of("https", HERE.getHostAddress(), socket.getLocalPort());
        } catch (IOException e) {
            throw new HostException("there is no free port on this machine", e.getMessage(), "", e);
        }
    }

    @Override
    public KvHash hashAt(long revision) {
        return cluster.hashKv(url, revision);
    }

    @Override
    public long keysAt(long revision) {
        return keys.count(url, revision);
    }

    @Override
    public void compact(long revision) {
        keys.compact(url, revision);
    }

    @Override
    public void close() {
        keys.close();
        cluster.close();
        process.destroyForcibly();
        Uninterrupted.run(() -> process.onExit()
                .completeOnTimeout(process, END.toSeconds(), TimeUnit.SECONDS)
                .join());
    }

    /**
     * The certificates by which a throw-away etcd talks to this program and to nobody else: every user
     * of the machine reaches the loopback interface, and the snapshot has all Secrets. The CA's key is
     * kept nowhere.
     */
    private record ScratchKeys(Path folder, String caPem, IssuedCertificate own) {

        private static final Duration VALID = Duration.ofDays(1);

        /** Makes them, and writes them where etcd reads them. */
        static ScratchKeys in(Path folder, HostFiles files, InetAddress address, Instant now) {
            CertificateAuthority ca = CertificateAuthority.create(
                    "kjadm-drill", KeyAlgorithm.ECDSA_P256, Validity.startingAt(now, VALID));
            IssuedCertificate own = ca.issue(
                    CertificateSet.named(CertificateSet.ETCD_PEER)
                            .requestFor("drill", new SubjectNames(List.of(), List.of(address))),
                    KeyAlgorithm.ECDSA_P256,
                    Validity.startingAt(now, VALID));
            ScratchKeys keys = new ScratchKeys(folder, ca.certificatePem(), own);
            files.write(keys.file("ca.crt"), keys.caPem, FileMode.OWNER_ONLY);
            files.write(keys.file("etcd.crt"), own.certificatePem(), FileMode.OWNER_ONLY);
            files.write(keys.file("etcd.key"), own.keyPem(), FileMode.OWNER_ONLY);
            return keys;
        }

        private Path file(String name) {
            return folder.resolve(name);
        }

        /** For its clients and, with {@code peer-}, for its peers. */
        List<String> flags(String kind) {
            return List.of(
                    "--%sclient-cert-auth=true".formatted(kind),
                    "--%strusted-ca-file=%s".formatted(kind, file("ca.crt")),
                    "--%scert-file=%s".formatted(kind, file("etcd.crt")),
                    "--%skey-file=%s".formatted(kind, file("etcd.key")));
        }

        EtcdAccess access(URI url) {
            return new EtcdAccess(
                    List.of(url), caPem, own.certificatePem(), PrivateKeyPem.toPkcs8(own.keyPem()));
        }
    }
}
