package io.kjadm.core.certs;

import java.util.List;

/** The static pods of this node that read certificates, as a port. */
public interface CertificateUsers {

    /**
     * Restarts what uses these certificates, one component after the other, and sees that each
     * serves with them.
     *
     * @throws io.kjadm.core.error.ClusterException if a component may not be restarted or does not
     *         come back; those behind it are not touched then
     */
    void restart(CertsNode node, List<ManagedCertificate> certificates);

    /**
     * Waits until a component shows its certificates as its files have them now, without a restart:
     * etcd reads them for each connection.
     *
     * @throws io.kjadm.core.error.ClusterException if it does not
     */
    void awaitShown(CertsNode node, String component);
}
