package io.kjadm.core.etcd.ca;

import io.kjadm.pki.CertificateSet;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * When the certificates of a node end.
 *
 * @param certificates those that are renewed, and the kubelet's own as far as it has any
 * @param authorities  the CAs
 * @param served       what the servers of the control plane show; empty if they were not asked
 * @param now          from which residual times are counted
 */
public record Expirations(
        List<Expiration> certificates,
        List<Expiration> authorities,
        List<Served> served,
        Instant now) {

    public Expirations {
        certificates = List.copyOf(certificates);
        authorities = List.copyOf(authorities);
        served = List.copyOf(served);
    }

    /** Only those that etcd's CA signs, and that CA. */
    public Expirations ofEtcd() {
        return new Expirations(
                certificates.stream()
                        .filter(one -> one.caName()
                                .filter(CertificateSet.ETCD_CA::equals)
                                .isPresent())
                        .toList(),
                authorities.stream()
                        .filter(one -> one.name().equals(CertificateSet.ETCD_CA))
                        .toList(),
                List.of(),
                now);
    }

    /**
     * One certificate.
     *
     * @param caName   of the CA that signs it; empty for a CA
     * @param end      empty if the certificate is missing
     * @param external whether it is not this program that renews it: its CA's key is not here
     */
    public record Expiration(
            String name, Optional<String> caName, Optional<Instant> end, boolean external) {}

    /**
     * What a server shows.
     *
     * @param server component and {@code host:port}
     * @param answer its certificate, or why it was not seen
     */
    public record Served(String component, String server, CertificateProbe.Answer answer) {}
}
