package io.kjadm.pki;

import org.bouncycastle.asn1.x509.KeyPurposeId;

import java.util.Arrays;
import java.util.Optional;

/** What a certificate may be used for (RFC 5280 §4.2.1.12). */
public enum ExtendedUsage {
    SERVER_AUTH(KeyPurposeId.id_kp_serverAuth),
    CLIENT_AUTH(KeyPurposeId.id_kp_clientAuth),
    CODE_SIGNING(KeyPurposeId.id_kp_codeSigning),
    EMAIL_PROTECTION(KeyPurposeId.id_kp_emailProtection),
    TIME_STAMPING(KeyPurposeId.id_kp_timeStamping),
    OCSP_SIGNING(KeyPurposeId.id_kp_OCSPSigning),
    ANY(KeyPurposeId.anyExtendedKeyUsage);

    private final KeyPurposeId purpose;

    ExtendedUsage(KeyPurposeId purpose) {
        this.purpose = purpose;
    }

    static Optional<ExtendedUsage> ofOid(String oid) {
        return Arrays.stream(values())
                .filter(usage -> usage.purpose.getId().equals(oid))
                .findFirst();
    }

    KeyPurposeId purpose() {
        return purpose;
    }
}
