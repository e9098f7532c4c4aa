package io.kjadm.etcd;

import java.net.URI;
import java.util.List;
import java.util.Objects;

/**
 * Where etcd is and what proves us to it.
 *
 * @param endpoints client URLs, at least one; the member list adds the others
 * @param caPem certificates that sign the servers', PEM; empty for plain {@code http} endpoints
 * @param certPem our client certificate, PEM
 * @param keyPem its private key, PKCS#8 PEM ("BEGIN PRIVATE KEY")
 */
public record EtcdAccess(List<URI> endpoints, String caPem, String certPem, String keyPem) {

    public EtcdAccess {
        endpoints = List.copyOf(endpoints);
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException("no etcd endpoint given");
        }
        Objects.requireNonNull(caPem, "caPem");
        Objects.requireNonNull(certPem, "certPem");
        Objects.requireNonNull(keyPem, "keyPem");
    }

    /** Unprotected endpoints. */
    public static EtcdAccess plain(List<URI> endpoints) {
        return new EtcdAccess(endpoints, "", "", "");
    }

    @Override
    public String toString() {
        return "EtcdAccess" + endpoints;
    }
}
