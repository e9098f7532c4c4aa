package io.kjadm.core.standalone;

import io.kjadm.core.etcd.ca.CertificateProbe;
import io.kjadm.core.etcd.ca.EtcdRestart;
import io.kjadm.core.etcd.ca.RotatedNode;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.KeyPairPool;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A machine with an etcd of its own. Its clients are elsewhere, where nobody can restart them from
 * here: they take what they need out of a file that is written in each stage.
 */
record RotatedMachine(
        MemberCertificates member, KeyPairPool keys, MembershipLock lock, CertificateProbe probe)
        implements RotatedNode {

    /** Others restart their members for the same. */
    private static final EtcdRestart.Purpose PURPOSE =
            EtcdRestart.Purpose.caRotation(Duration.ofMinutes(10));

    private static final Clients CLIENTS = new Clients(
            new Need(
                    "Stage 1 of 3 is done on all machines: each trusts both CAs.",
                    """
                    make all clients of this etcd trust both CAs. On each control plane that uses it, put
                    caCertificate out of any machine's external-etcd.yaml into /etc/kubernetes/pki/etcd/ca.crt, and
                    restart the API server. Then run this command on every machine again: it continues with stage 2.
                    """,
                    "Stage 2 of 3 begins: members show certificates of the new CA, and clients that do not trust it are cut off. Do all clients of this etcd trust both CAs?"),
            new Need(
                    "Stage 2 of 3 is done on all machines: their certificates are of the new CA.",
                    """
                    give all clients of this etcd certificates of the new CA. On each control plane that uses it,
                    put certificate and key out of any machine's external-etcd.yaml into
                    /etc/kubernetes/pki/apiserver-etcd-client.crt and .key, restart the API server, and remove the copy of
                    the file. Then run this command on every machine again: it continues with stage 3.
                    """,
                    "Stage 3 of 3 begins: members trust the new CA alone, and clients with certificates of the previous one are rejected. Do all clients of this etcd have certificates of the new CA?"));

    private static final Terms TERMS = new Terms(
            "machine",
            "every machine of this etcd, three times",
            "restart etcd, so that it trusts",
            "ca.crt and ca.key of a machine",
            """
            Next: make control planes that use this etcd trust the new CA alone: put caCertificate out of any machine's
            external-etcd.yaml into /etc/kubernetes/pki/etcd/ca.crt, and restart the API server. For machines that join,
            make a new bundle with "kjadm etcd init --bundle FILE": an earlier one holds the previous CA.
            """);

    @Override
    public Terms terms() {
        return TERMS;
    }

    @Override
    public Optional<Clients> clients() {
        return Optional.of(CLIENTS);
    }

    @Override
    public Path journal() {
        return member.rotationJournal();
    }

    @Override
    public CertificatePair ca() {
        return member.pair(MemberCertificates.CA);
    }

    @Override
    public Instant now() {
        return member.now();
    }

    @Override
    public CertificateAuthority authority() {
        return member.authority();
    }

    @Override
    public void finishInterrupted() {
        member.finishInterrupted();
        member.startIfStopped();
    }

    @Override
    public void restart() {
        member.writeForControlPlanes();
        member.restart(lock, PURPOSE);
    }

    @Override
    public void renew() {
        member.renew(keys);
        member.writeForControlPlanes();
    }

    @Override
    public void awaitShown() {
        member.awaitShown(probe);
    }
}
