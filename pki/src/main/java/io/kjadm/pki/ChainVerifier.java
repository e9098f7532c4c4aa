package io.kjadm.pki;

import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertStore;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;

/**
 * Asks the JDK whether a certificate leads to a CA, and puts a refusal into words an operator can
 * act on.
 */
record ChainVerifier(X509Certificate ca) {

    /** The bit of the key usage that lets a key sign certificates (RFC 5280 §4.2.1.3). */
    private static final int KEY_CERT_SIGN = 5;

    /** @param chain the certificate first, then possible intermediates in any order */
    void verify(List<X509Certificate> chain, Instant now) {
        X509Certificate leaf = chain.getFirst();
        requireValidAt(now, leaf, "the certificate of");
        // the JDK takes a trust anchor as it is, however old and whether it may sign or not
        requireValidAt(now, ca, "the CA certificate of");
        requireSigner(ca);
        try {
            CertPathBuilder.getInstance("PKIX").build(parameters(chain, now));
        } catch (CertPathBuilderException e) {
            throw new PkiException(
                    "the certificate of %s does not lead to the CA %s: %s"
                            .formatted(
                                    X509Text.subject(leaf), X509Text.subject(ca), reason(chain, e)),
                    e);
        } catch (GeneralSecurityException e) {
            throw new PkiException(
                    "the certificate of %s cannot be checked".formatted(X509Text.subject(leaf)), e);
        }
    }

    private PKIXBuilderParameters parameters(List<X509Certificate> chain, Instant now)
            throws GeneralSecurityException {
        X509CertSelector leaf = new X509CertSelector();
        leaf.setCertificate(chain.getFirst());
        PKIXBuilderParameters parameters =
                new PKIXBuilderParameters(Set.of(new TrustAnchor(ca, null)), leaf);
        parameters.addCertStore(
                CertStore.getInstance("Collection", new CollectionCertStoreParameters(chain)));
        parameters.setDate(Date.from(now));
        parameters.setRevocationEnabled(false);
        return parameters;
    }

    private String reason(List<X509Certificate> chain, CertPathBuilderException failure) {
        X509Certificate leaf = chain.getFirst();
        boolean alone = chain.size() == 1;
        if (alone && !leaf.getIssuerX500Principal().equals(ca.getSubjectX500Principal())) {
            return "its issuer is " + leaf.getIssuerX500Principal().getName();
        }
        if (alone && !isSignedByCa(leaf)) {
            return "another key signed it";
        }
        return String.valueOf(failure.getMessage());
    }

    private boolean isSignedByCa(X509Certificate leaf) {
        try {
            leaf.verify(ca.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static void requireSigner(X509Certificate ca) {
        // version 1 knows no extensions, so that such a CA cannot say what it is
        boolean flagged = ca.getVersion() < 3 || ca.getBasicConstraints() >= 0;
        boolean[] usage = ca.getKeyUsage();
        if (!flagged || usage != null && !usage[KEY_CERT_SIGN]) {
            throw new PkiException(
                    "the certificate of %s is not one of a CA".formatted(X509Text.subject(ca)));
        }
    }

    private static void requireValidAt(Instant now, X509Certificate certificate, String what) {
        Instant notBefore = certificate.getNotBefore().toInstant();
        if (now.isBefore(notBefore)) {
            throw new PkiException("%s %s is not valid before %s, now is %s"
                    .formatted(what, X509Text.subject(certificate), notBefore, now));
        }
        Instant notAfter = certificate.getNotAfter().toInstant();
        if (now.isAfter(notAfter)) {
            throw new PkiException("%s %s expired at %s, now is %s"
                    .formatted(what, X509Text.subject(certificate), notAfter, now));
        }
    }
}
