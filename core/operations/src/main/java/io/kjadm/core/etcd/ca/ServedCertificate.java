package io.kjadm.core.etcd.ca;

import io.kjadm.core.pki.PairFile;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.PkiException;

import java.net.URI;
import java.util.Optional;

/** A server that is to show the certificate in a file. */
public record ServedCertificate(URI url, PairFile file) {

    /** What is shown instead; empty if the file's is, or if there is none to compare with. */
    public Optional<String> difference(CertificateProbe probe) {
        return switch (probe.look(url)) {
            case CertificateProbe.Answer.Unseen(String why) ->
                Optional.of("%s: %s".formatted(url.getAuthority(), why));
            case CertificateProbe.Answer.Shown(CertificateInfo shown) ->
                expected()
                        .filter(wanted -> !wanted.serialNumber().equals(shown.serialNumber()))
                        .map(wanted -> "%s shows serial number %s, not %s"
                                .formatted(url.getAuthority(), serial(shown), serial(wanted)));
        };
    }

    /** What was seen when there was no difference. */
    public String serves() {
        return "serves the certificate with serial number %s at %s"
                .formatted(
                        expected().map(ServedCertificate::serial).orElse("?"), url.getAuthority());
    }

    private Optional<CertificateInfo> expected() {
        try {
            return file.read();
        } catch (PkiException e) {
            return Optional.empty();
        }
    }

    private static String serial(CertificateInfo certificate) {
        return certificate.serialNumber().toString(16);
    }
}
