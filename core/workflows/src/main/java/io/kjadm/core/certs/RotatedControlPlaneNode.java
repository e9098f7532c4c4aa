package io.kjadm.core.certs;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.ca.RotatedNode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.etcd.CommonReason;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.KeyPairPool;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A control-plane node, whose API server asks the etcd beside it. */
public final class RotatedControlPlaneNode implements RotatedNode {

    private static final CertificateSpec CA = CertificateSet.named(CertificateSet.ETCD_CA);
    private static final List<ManagedCertificate> LEAVES = ManagedCertificate.ofEtcd();
    /** What etcd and the API server serve or show: who uses them reads the CAs as well. */
    private static final List<ManagedCertificate> OF_COMPONENTS = LEAVES.stream()
            .filter(certificate -> certificate.component().isPresent())
            .toList();

    /** Below the directory of such files. */
    private static final String JOURNAL = "kjadm-ca-rotation/journal.json";

    private static final Terms TERMS = new Terms(
            "node",
            "every control-plane node",
            "restart etcd and the API server, so that they trust",
            "etcd/ca.crt and etcd/ca.key of a control-plane node",
            """
            Next: other clients of etcd that have a certificate of the previous CA need a new one.
            For joins, upload the new CA: kjadm init phase upload-certs --upload-certs
            """);

    private final CertsNode node;
    private final HostFiles files;
    private final KeyPairPool keys;
    private final CertificateUsers users;
    private final Reporter out;

    /** @param keys of the new certificates */
    public RotatedControlPlaneNode(
            CertsNode node,
            HostFiles files,
            KeyPairPool keys,
            CertificateUsers users,
            Reporter out) {
        this.node = node;
        this.files = files;
        this.keys = keys;
        this.users = users;
        this.out = out;
    }

    @Override
    public Terms terms() {
        return TERMS;
    }

    /** The API server beside it is restarted with etcd. */
    @Override
    public Optional<Clients> clients() {
        return Optional.empty();
    }

    @Override
    public Path journal() {
        return node.paths().tmpDir().resolve(JOURNAL);
    }

    @Override
    public CertificatePair ca() {
        return node.pair(CA);
    }

    @Override
    public Instant now() {
        return node.now();
    }

    @Override
    public CertificateAuthority authority() {
        CertificateAuthority ca = node.authority(files, CertificateSet.ETCD_CA);
        if (!ca.canSign()) {
            throw new HostException(
                    CommonReason.CA_CANNOT_SIGN,
                    "etcd's CA is kept elsewhere: %s is not here".formatted(ca().key()),
                    "",
                    "rotate an external CA where it is kept: make all nodes trust both CAs in %s, then replace the certificates, then remove the previous CA"
                            .formatted(ca().certificate()));
        }
        return ca;
    }

    @Override
    public void finishInterrupted() {
        LEAVES.forEach(leaf -> node.file(files, leaf).finish());
    }

    @Override
    public void restart() {
        users.restart(node, OF_COMPONENTS);
    }

    @Override
    public void renew() {
        new NodeRenewal(files, keys, out).renew(node, LEAVES);
    }

    @Override
    public void awaitShown() {
        users.awaitShown(node, EtcdPod.NAME);
    }
}
