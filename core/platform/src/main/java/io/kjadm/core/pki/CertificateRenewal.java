package io.kjadm.core.pki;

import io.kjadm.core.error.HostException;
import io.kjadm.core.phase.Reporter;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.ExtendedUsage;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.LeafRequest;
import io.kjadm.pki.PkiException;
import io.kjadm.pki.Validity;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Makes certificates anew with new keys, by what stands in the old ones: who they are for and what
 * for. How long ago these expired does not matter, and nothing has to run. Everything is read and
 * checked, and signed, before the first file is changed; a run that was interrupted is finished by
 * the next.
 */
public final class CertificateRenewal {

    private static final String AREA = "renew";

    private final KeyPairPool keys;
    private final Duration validityPeriod;
    private final Instant now;
    private final Reporter out;

    /**
     * @param keys           of the new certificates
     * @param validityPeriod of the new certificates
     * @param now            when they begin
     */
    public CertificateRenewal(
            KeyPairPool keys, Duration validityPeriod, Instant now, Reporter out) {
        this.keys = keys;
        this.validityPeriod = validityPeriod;
        this.now = now;
        this.out = out;
    }

    /**
     * A certificate that can be renewed.
     *
     * @param description completes "… renewed"
     * @param caName      of the CA that signs it
     * @param usages      if the old one names none
     * @param making      how to make one that is missing, an imperative
     */
    public record Renewable(
            String description,
            String caName,
            CertificateFile file,
            List<ExtendedUsage> usages,
            String making) {}

    /** Goes on with renewals that were interrupted. */
    public static void finishInterrupted(
            Collection<? extends CertificateFile> certificates, Reporter out) {
        // a key without its certificate stops whatever starts next
        for (CertificateFile certificate : certificates) {
            if (certificate.finish()) {
                out.step(AREA, "Finished an interrupted renewal of " + certificate.path());
            }
        }
    }

    /**
     * Renews those certificates; what is missing or signed elsewhere is told and left out.
     *
     * @param authorities by their names
     * @return those that are new
     * @throws HostException if a CA or one of the certificates cannot be used; nothing was renewed
     */
    public Set<Renewable> renew(
            List<Renewable> wanted, Function<String, CertificateAuthority> authorities) {
        Map<String, CertificateAuthority> cas = new HashMap<>();
        Map<Renewable, IssuedCertificate> signed = new LinkedHashMap<>();
        for (Renewable certificate : wanted) {
            Optional<CertificateInfo> old = read(certificate);
            if (old.isEmpty()) {
                out.step(AREA, "MISSING! " + certificate.description());
                out.detail("renew: a renewal needs the old certificate; " + certificate.making());
                continue;
            }
            CertificateAuthority ca = cas.computeIfAbsent(
                    certificate.caName(), name -> loaded(name, authorities.apply(name)));
            if (ca.canSign()) {
                signed.put(certificate, sign(certificate, old.get(), ca));
            } else {
                out.step(
                        AREA,
                        "Detected external %s, %s can't be renewed"
                                .formatted(certificate.caName(), certificate.description()));
            }
        }
        signed.forEach((certificate, issued) -> {
            certificate.file().replace(issued, cas.get(certificate.caName()));
            out.step(AREA, certificate.description() + " renewed");
        });
        return signed.keySet();
    }

    private CertificateAuthority loaded(String name, CertificateAuthority ca) {
        if (ca.canSign()) {
            warnIfCaEnds(name, ca);
        }
        return ca;
    }

    private void warnIfCaEnds(String name, CertificateAuthority ca) {
        Optional<String> outOfDate = ca.info().outOfDate(now);
        if (outOfDate.isPresent()) {
            out.warn(
                    "CA %s %s: no component accepts what it signs, and this command does not renew it"
                            .formatted(name, outOfDate.get()));
        } else if (ca.info().notAfter().isBefore(now.plus(validityPeriod))) {
            out.warn("CA %s ends on %s, before the certificates that it signs now"
                    .formatted(name, ca.info().notAfter()));
        }
    }

    private static Optional<CertificateInfo> read(Renewable certificate) {
        try {
            return certificate.file().read();
        } catch (PkiException e) {
            throw unusable(certificate, e);
        }
    }

    private IssuedCertificate sign(
            Renewable certificate, CertificateInfo old, CertificateAuthority ca) {
        try {
            return ca.issue(
                    LeafRequest.renewing(old, certificate.usages()),
                    keys,
                    Validity.startingAt(now, validityPeriod));
        } catch (PkiException e) {
            throw unusable(certificate, e);
        }
    }

    private static HostException unusable(Renewable certificate, PkiException cause) {
        return new HostException(
                "%s cannot be renewed".formatted(certificate.file().path()),
                cause.getMessage(),
                "replace the file, or delete it with its key and " + certificate.making(),
                cause);
    }
}
