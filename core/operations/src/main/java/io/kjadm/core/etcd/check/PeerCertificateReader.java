package io.kjadm.core.etcd.check;

import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.check.PeerCertificate;
import io.kjadm.manifests.AddressText;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.SubjectNames;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the certificate that this node's etcd will show to the other members. */
final class PeerCertificateReader {

    private static final Map<ExtendedUsage, String> WANTED = Map.of(
            ExtendedUsage.SERVER_AUTH, "serverAuth", ExtendedUsage.CLIENT_AUTH, "clientAuth");

    private final HostFiles files;
    private final EtcdCertificateFiles own;

    PeerCertificateReader(HostFiles files, Path certificatesDir) {
        this.files = files;
        this.own = EtcdCertificateFiles.in(files, certificatesDir);
    }

    /** What is wrong or right with it, for a node of this address. */
    PeerCertificate read(InetAddress address) {
        Path path = own.peer().certificate();
        Optional<PeerCredentials> credentials = credentials();
        if (credentials.isEmpty()) {
            return new PeerCertificate.Unusable("%s, %s or %s is missing"
                    .formatted(path, own.peer().key(), own.ca().certificate()));
        }
        try {
            return read(path, credentials.get(), address);
        } catch (PkiException e) {
            return new PeerCertificate.Unusable(
                    "%s or its key or CA cannot be read: %s".formatted(path, e.getMessage()));
        }
    }

    /** The files themselves; empty if one is missing. */
    Optional<PeerCredentials> credentials() {
        return files.read(own.ca().certificate())
                .flatMap(ca -> files.read(own.peer().certificate())
                        .flatMap(certificate -> files.read(own.peer().key())
                                .map(key -> new PeerCredentials(ca, certificate, key))));
    }

    private static PeerCertificate read(
            Path path, PeerCredentials credentials, InetAddress address) {
        CertificateInfo peer = CertificateInfo.parse(credentials.certificatePem());
        CertificateInfo ca = CertificateInfo.parse(credentials.caPem());
        Instant from = later(peer.notBefore(), ca.notBefore());
        Instant to = peer.notAfter().isBefore(ca.notAfter()) ? peer.notAfter() : ca.notAfter();
        List<String> missing = WANTED.keySet().stream()
                .filter(usage -> !peer.allows(usage))
                .map(WANTED::get)
                .sorted()
                .toList();
        return new PeerCertificate.Readable(
                path.toString(),
                signed(credentials, from),
                TlsPeerDialer.authority(ca),
                peer.matchesKey(credentials.keyPem()),
                new PeerCertificate.Validity(from, to),
                missing,
                peer.missing(new SubjectNames(List.of(), List.of(address))).addresses().stream()
                        .map(AddressText::of)
                        .toList());
    }

    /** Judged at a moment when both are valid: whether that is now is another question. */
    private static boolean signed(PeerCredentials credentials, Instant then) {
        try {
            CertificateAuthority.load(credentials.caPem(), Optional.empty())
                    .verify(credentials.certificatePem(), then);
            return true;
        } catch (PkiException e) {
            return false;
        }
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
