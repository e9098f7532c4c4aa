package io.kjadm.core.pki;

import io.kjadm.core.error.HostException;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.PkiException;

import java.nio.file.Path;
import java.util.Optional;

/** Where a certificate is kept with its key. */
public interface CertificateFile {

    /** The file with the certificate. */
    Path path();

    /**
     * What is there; empty if it is missing.
     *
     * @throws PkiException if it cannot be read
     */
    Optional<CertificateInfo> read();

    /** Puts a new certificate, of that CA, in the place of the one that is there. */
    void replace(IssuedCertificate issued, CertificateAuthority ca);

    /** Whether an exchange was interrupted, so that certificate and key do not fit together. */
    default boolean unfinished() {
        return false;
    }

    /**
     * Goes on with an exchange that was interrupted.
     *
     * @return whether it had to: the certificate did not fit the key
     */
    default boolean finish() {
        return false;
    }

    /**
     * What is there, for the operator; an exchange that was interrupted is warned of.
     *
     * @param renewal command that finishes it
     * @throws HostException if it cannot be read
     */
    default Optional<CertificateInfo> look(Reporter out, String renewal) {
        if (unfinished()) {
            out.warn(
                    "a renewal of %s was interrupted and its key does not fit it: finish it with '%s'"
                            .formatted(path(), renewal));
        }
        try {
            return read();
        } catch (PkiException e) {
            throw new HostException(
                    "the certificate in %s cannot be read".formatted(path()),
                    e.getMessage(),
                    "replace the file, or remove it to have it shown as missing",
                    e);
        }
    }
}
