package io.kjadm.pki;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Texts from outside, and one moment that the tests call now. */
final class Fixtures {

    static final Instant NOW = Instant.parse("2027-03-04T05:06:07Z");
    static final Validity CA_YEARS = Validity.startingAt(NOW, CertificateFiles.DEFAULT_CA_VALIDITY);
    static final Validity ONE_YEAR =
            Validity.startingAt(NOW, CertificateFiles.DEFAULT_CERTIFICATE_VALIDITY);
    static final Instant LATER = NOW.plus(Duration.ofDays(30));

    private Fixtures() {}

    /** A file that openssl made. */
    static String text(String file) {
        try (InputStream in = Fixtures.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A CA of the fast kind. */
    static CertificateAuthority ca(String commonName) {
        return CertificateAuthority.create(commonName, KeyAlgorithm.ECDSA_P256, CA_YEARS);
    }

    static IssuedCertificate client(CertificateAuthority ca, String commonName) {
        return ca.issue(
                LeafRequest.client(commonName, List.of()), KeyAlgorithm.ECDSA_P256, ONE_YEAR);
    }

    static ApiServerNames apiServerNames(String controlPlaneHost, String... extraSans) {
        return new ApiServerNames(
                "cp-1",
                "cluster.local",
                Optional.of(controlPlaneHost).filter(host -> !host.isEmpty()),
                ip("10.96.0.1"),
                ip("192.0.2.10"),
                List.of(extraSans));
    }

    static InetAddress ip(String literal) {
        return InetAddress.ofLiteral(literal);
    }
}
