package io.kjadm.core.snapshot.drill;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.PrivateKeyPem;
import io.kjadm.pki.SubjectNames;
import io.kjadm.pki.Validity;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The certificates by which a throw-away etcd talks to this program and to nobody else: every user
 * of the machine reaches the loopback interface, and the snapshot has all Secrets. The CA's key is
 * kept nowhere.
 */
record ScratchKeys(Path folder, String caPem, IssuedCertificate own) {

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
