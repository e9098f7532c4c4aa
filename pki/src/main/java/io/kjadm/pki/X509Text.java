package io.kjadm.pki;

import java.io.ByteArrayInputStream;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;

/** Certificates between PEM text and the JDK's own type. */
final class X509Text {

    private X509Text() {}

    /**
     * All certificates of the text, at least one; @throws PkiException if there is none or one is
     * unreadable.
     */
    static List<X509Certificate> certificates(String pem) {
        List<X509Certificate> found = PemBlock.parseAll(pem).stream()
                .filter(PemBlock::isCertificate)
                .map(X509Text::certificate)
                .toList();
        if (found.isEmpty()) {
            throw new PkiException("there is no certificate in the PEM text");
        }
        return found;
    }

    static X509Certificate certificate(PemBlock block) {
        return certificate(block.content());
    }

    static X509Certificate certificate(byte[] der) {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(der));
        } catch (CertificateException e) {
            throw new PkiException("a certificate in the PEM text cannot be read", e);
        }
    }

    /** The whole name of the subject as RFC 2253 writes it. */
    static String subject(X509Certificate certificate) {
        return certificate.getSubjectX500Principal().getName();
    }

    static String pem(X509Certificate certificate) {
        return new PemBlock(PemBlock.CERTIFICATE, der(certificate)).toPem();
    }

    static byte[] der(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (CertificateEncodingException e) {
            throw new PkiException("a certificate cannot be encoded", e);
        }
    }
}
