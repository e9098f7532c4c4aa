package io.kjadm.core.etcd.check;

import java.util.Objects;

/**
 * What a member shows to the others, and whom it trusts.
 *
 * @param caPem one or more CA certificates
 * @param certificatePem its certificate, with intermediates if any
 * @param keyPem its private key in any form that kubeadm or kjadm writes
 */
public record PeerCredentials(String caPem, String certificatePem, String keyPem) {

    public PeerCredentials {
        Objects.requireNonNull(caPem, "caPem");
        Objects.requireNonNull(certificatePem, "certificatePem");
        Objects.requireNonNull(keyPem, "keyPem");
    }

    @Override
    public String toString() {
        return "PeerCredentials[withheld]";
    }
}
