package io.kjadm.core.etcd.ca;

import io.kjadm.pki.CertificateKey;

import java.util.Optional;

/** With what the key of etcd's new CA is encrypted on its way from the first node to the others. */
public sealed interface CaRotationKey {

    /**
     * With the old CA's key and a certificate key that the operator carries.
     *
     * @param given empty to make one on the first node, and to use the one that was kept here after
     *              that
     */
    record Carried(Optional<CertificateKey> given) implements CaRotationKey {}

    /** With the old CA's key alone: enough where nobody else can have that, as the CA expires. */
    record OldCaAlone() implements CaRotationKey {}
}
