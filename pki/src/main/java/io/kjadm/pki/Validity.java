package io.kjadm.pki;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The period in which a certificate is valid, in whole seconds because X.509 knows nothing finer.
 */
public record Validity(Instant notBefore, Instant notAfter) {

    public Validity {
        notBefore = notBefore.truncatedTo(ChronoUnit.SECONDS);
        notAfter = notAfter.truncatedTo(ChronoUnit.SECONDS);
        if (!notAfter.isAfter(notBefore)) {
            throw new PkiException("a certificate cannot end at %s when it starts at %s"
                    .formatted(notAfter, notBefore));
        }
    }

    /**
     * The period of a CA or of a certificate in the certificates directory: it begins a little
     * before {@code start}, for peers whose clock is late, and ends {@code period} after it.
     */
    public static Validity startingAt(Instant start, Duration period) {
        return new Validity(start.minus(CertificateFiles.BACKDATE), start.plus(period));
    }

    /** The period of a client certificate inside a kubeconfig: it begins together with its CA. */
    public static Validity sinceCa(CertificateAuthority ca, Instant start, Duration period) {
        return new Validity(ca.notBefore(), start.plus(period));
    }
}
