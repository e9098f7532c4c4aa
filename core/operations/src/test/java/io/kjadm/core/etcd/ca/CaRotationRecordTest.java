package io.kjadm.core.etcd.ca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.etcd.Named;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.Validity;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** The old CA's key may be known to others: that is why there is a rotation. */
class CaRotationRecordTest {

    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");

    private final CertificateAuthority former = authority();
    private final CertificateAuthority next = authority();
    private final CertificateKey key = CertificateKey.generate();

    private static CertificateAuthority authority() {
        return CertificateAuthority.create(
                "etcd-ca",
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(NOW, Duration.ofDays(3650)));
    }

    private CaRotationRecord read(Optional<CertificateKey> sealedWith) {
        String text = CaRotationRecord.of(former, next, sealedWith, NOW).json();
        assertEquals(Set.of("CERTIFICATE"), Named.pemBlocks(text));
        return CaRotationRecord.parse(text);
    }

    private String formerKey() {
        return former.keyPem().orElseThrow();
    }

    @Test
    void itOpensOnlyWithTheOldCasKeyAndTheCertificateKey() {
        CaRotationRecord record = read(Optional.of(key));
        assertTrue(record.needsCertificateKey());
        assertEquals(next.keyPem(), record.open(formerKey(), Optional.of(key)).keyPem());
        Optional<CertificateKey> another = Optional.of(CertificateKey.generate());
        Optional<CertificateKey> right = Optional.of(key);
        String stranger = next.keyPem().orElseThrow();
        assertThrows(PkiException.class, () -> record.open(formerKey(), Optional.empty()));
        assertThrows(PkiException.class, () -> record.open(formerKey(), another));
        assertThrows(PkiException.class, () -> record.open(stranger, right));
    }

    @Test
    void withoutACertificateKeyTheOldCasKeyIsEnough() {
        CaRotationRecord record = read(Optional.empty());
        assertFalse(record.needsCertificateKey());
        assertEquals(next.keyPem(), record.open(formerKey(), Optional.empty()).keyPem());
        String stranger = next.keyPem().orElseThrow();
        assertThrows(PkiException.class, () -> record.open(stranger, Optional.empty()));
        assertThrows(PkiException.class, () -> record.open(formerKey(), Optional.of(key)));
    }

    @Test
    void anotherTextIsNoRecord() {
        assertThrows(ClusterException.class, () -> CaRotationRecord.parse("{}"));
    }
}
