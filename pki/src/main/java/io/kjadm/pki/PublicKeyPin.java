package io.kjadm.pki;

import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Recognizes a CA by its public key: the SHA-256 digest of its DER SubjectPublicKeyInfo (RFC 7469
 * §2.4).
 *
 * @param digestHex 64 lower-case hexadecimal digits
 */
public record PublicKeyPin(String digestHex) {

    private static final String PREFIX = "sha256:";
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

    public PublicKeyPin {
        if (!DIGEST.matcher(digestHex).matches()) {
            throw new PkiException("a public key pin needs 64 hexadecimal digits, not \"%s\""
                    .formatted(digestHex));
        }
    }

    /**
     * Reads {@code sha256:<64 hexadecimal digits>}, upper or lower case.
     *
     * @throws PkiException for any other text
     */
    public static PublicKeyPin parse(String text) {
        String pin = text.toLowerCase(Locale.ROOT);
        if (!pin.startsWith(PREFIX)) {
            throw new PkiException(
                    "the public key pin \"%s\" does not start with %s".formatted(text, PREFIX));
        }
        return new PublicKeyPin(pin.substring(PREFIX.length()));
    }

    static PublicKeyPin ofSubjectPublicKeyInfo(byte[] der) {
        return new PublicKeyPin(HexFormat.of().formatHex(CertificateWriter.sha256(der)));
    }

    /** Whether at least one of the certificates has at least one of the pins. */
    public static boolean anyMatches(
            Collection<PublicKeyPin> pins, List<CertificateInfo> certificates) {
        return certificates.stream().map(CertificateInfo::pin).anyMatch(pins::contains);
    }

    /** {@code sha256:<64 lower-case hexadecimal digits>}, as the join command carries it. */
    public String format() {
        return PREFIX + digestHex;
    }

    @Override
    public String toString() {
        return format();
    }
}
