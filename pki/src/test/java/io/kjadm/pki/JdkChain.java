package io.kjadm.pki;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;

/** The JDK's own reading and judgement of our PEM texts; none of the code under test takes part. */
final class JdkChain {

    private JdkChain() {}

    static X509Certificate read(String pem) throws GeneralSecurityException {
        return (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(
                        new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
    }

    static void validate(String leafPem, String caPem, Instant now)
            throws GeneralSecurityException {
        var parameters = new PKIXParameters(Set.of(new TrustAnchor(read(caPem), null)));
        parameters.setRevocationEnabled(false);
        parameters.setDate(Date.from(now));
        CertPathValidator.getInstance("PKIX")
                .validate(
                        CertificateFactory.getInstance("X.509")
                                .generateCertPath(List.of(read(leafPem))),
                        parameters);
    }
}
