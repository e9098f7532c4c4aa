package io.kjadm.core.etcd.check;

import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.io.IOException;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Members with TLS on the loopback interface, of one cluster and one CA, from
 * {@code ~/.cache/kjadm/etcd}.
 */
final class RealEtcd implements AutoCloseable {

    static final InetAddress LOCAL = InetAddress.ofLiteral("127.0.0.1");
    static final Instant NOW = Instant.now();

    private final Path folder;
    private final CertificateAuthority ca = authority();
    private final PeerCredentials credentials =
            credentials(ca, CertificateSet.ETCD_PEER, "127.0.0.1", today());
    private final Map<String, URI> peers = new LinkedHashMap<>();
    private final Map<String, URI> clients = new LinkedHashMap<>();
    private final Map<String, Process> processes = new LinkedHashMap<>();

    /** @param folder for data, certificates (as a certificates directory) and logs */
    RealEtcd(Path folder) {
        this.folder = folder;
    }

    /** Every version at hand; the test is skipped if there is none. */
    static List<Path> binaries() throws IOException {
        Path cache = Path.of(System.getProperty("user.home"), ".cache", "kjadm", "etcd");
        assumeTrue(Files.isDirectory(cache), "there is no etcd in " + cache);
        try (Stream<Path> versions = Files.list(cache)) {
            List<Path> found = versions.map(version -> version.resolve("etcd"))
                    .filter(Files::isExecutable)
                    .sorted()
                    .toList();
            assumeFalse(found.isEmpty(), "there is no etcd in " + cache);
            return found;
        }
    }

    static CertificateAuthority authority() {
        return CertificateAuthority.create(
                "etcd-ca", KeyAlgorithm.ECDSA_P256, Validity.startingAt(NOW, Duration.ofDays(2)));
    }

    static Validity today() {
        return Validity.startingAt(NOW, Duration.ofDays(1));
    }

    /** A certificate of the kind that one of the set's is, for cp-1 at this address. */
    static PeerCredentials credentials(
            CertificateAuthority signer, String spec, String address, Validity validity) {
        SubjectNames names =
                new SubjectNames(List.of("cp-1"), List.of(InetAddress.ofLiteral(address)));
        IssuedCertificate issued = signer.issue(
                CertificateSet.named(spec).requestFor("cp-1", names),
                KeyAlgorithm.ECDSA_P256,
                validity);
        return new PeerCredentials(
                signer.certificatePem(), issued.certificatePem(), issued.keyPem());
    }

    CertificateAuthority ca() {
        return ca;
    }

    PeerCredentials credentials() {
        return credentials;
    }

    URI peer(String name) {
        return peers.get(name);
    }

    List<URI> clients() {
        return List.copyOf(clients.values());
    }

    Process process(String name) {
        return processes.get(name);
    }

    /** Starts a new cluster of these members. */
    RealEtcd start(Path binary, String... names) throws IOException {
        Files.createDirectories(folder.resolve("etcd"));
        Files.writeString(file("ca.crt"), credentials.caPem());
        Files.writeString(file("peer.crt"), credentials.certificatePem());
        Files.writeString(file("peer.key"), credentials.keyPem());
        for (String name : names) {
            peers.put(name, freeUrl());
            clients.put(name, freeUrl());
        }
        for (String name : names) {
            processes.put(name, start(binary, name));
        }
        return this;
    }

    private Path file(String name) {
        return folder.resolve("etcd").resolve(name);
    }

    private Process start(Path binary, String name) throws IOException {
        String cluster = peers.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(","));
        List<String> command = new ArrayList<>(List.of(
                binary.toString(),
                "--name=" + name,
                "--data-dir=" + folder.resolve(name),
                "--initial-cluster=" + cluster,
                "--listen-peer-urls=" + peers.get(name),
                "--initial-advertise-peer-urls=" + peers.get(name),
                "--listen-client-urls=" + clients.get(name),
                "--advertise-client-urls=" + clients.get(name)));
        for (String kind : List.of("", "peer-")) {
            command.addAll(List.of(
                    "--" + kind + "client-cert-auth=true",
                    "--" + kind + "trusted-ca-file=" + file("ca.crt"),
                    "--" + kind + "cert-file=" + file("peer.crt"),
                    "--" + kind + "key-file=" + file("peer.key")));
        }
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile())
                .start();
    }

    private static URI freeUrl() {
        return EtcdUrls.of("https", "127.0.0.1", EtcdProcess.freeUrl().getPort());
    }

    @Override
    public void close() {
        processes.values().forEach(process -> process.destroyForcibly().onExit().join());
    }
}
