package io.kjadm.pki;

/**
 * What a text holds, judged by what can really be read from it; decides with which mode a file is
 * written.
 */
public enum PemContent {
    /** A private key, possibly among other blocks: for the owner alone. */
    PRIVATE_KEY,
    PUBLIC_KEY,
    CERTIFICATE,
    /** Nothing usable. */
    OTHER;

    /** Never throws: whatever is unreadable is {@link #OTHER}. */
    public static PemContent of(String text) {
        if (parses(() -> PrivateKeyPem.parse(text))) {
            return PRIVATE_KEY;
        }
        if (parses(() -> X509Text.certificates(text))) {
            return CERTIFICATE;
        }
        return parses(() -> PublicKeyPem.parse(text)) ? PUBLIC_KEY : OTHER;
    }

    private static boolean parses(Runnable reading) {
        try {
            reading.run();
            return true;
        } catch (PkiException e) {
            return false;
        }
    }
}
