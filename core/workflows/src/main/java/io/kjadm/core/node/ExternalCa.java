package io.kjadm.core.node;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.PkiException;

import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Function;

/**
 * A CA whose key is kept elsewhere.
 *
 * @param name as {@code CertificateSet} has it
 */
public record ExternalCa(HostFiles files, String name, CertificateAuthority authority) {

    /**
     * Checks that a certificate is there with its key, and signed.
     *
     * @param at the moment at which it is judged, by its PEM
     * @throws HostException if not
     */
    public void require(CertificatePair pair, Function<String, Instant> at) {
        Path certificate = pair.certificate();
        String pem = files.read(certificate)
                .orElseThrow(() -> incomplete("%s is missing".formatted(certificate)));
        if (!files.exists(pair.key())) {
            throw incomplete("%s is missing".formatted(pair.key()));
        }
        try {
            authority.verify(pem, at.apply(pem));
        } catch (PkiException e) {
            throw incomplete("%s: %s".formatted(certificate, e.getMessage()));
        }
    }

    private HostException incomplete(String why) {
        return new HostException(
                "the external CA \"%s\" is invalid or incomplete".formatted(name),
                why,
                "provide every certificate and key that this CA signs, or the CA's key");
    }
}
