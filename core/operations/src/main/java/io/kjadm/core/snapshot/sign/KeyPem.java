package io.kjadm.core.snapshot.sign;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One PEM block of a key file (RFC 7468), with nothing but blanks and comments around it.
 *
 * @param label of its first line: {@code PRIVATE KEY}
 * @param der   its content
 */
record KeyPem(String label, byte[] der) {

    private static final Pattern BLOCK = Pattern.compile(
            "-----BEGIN ([A-Z0-9 ]+)-----\\s*([A-Za-z0-9+/=\\s]*)-----END \\1-----");
    private static final int LINE = 64;

    /**
     * Reads the only one.
     *
     * @throws IllegalArgumentException if there is none or more than one
     */
    static KeyPem parse(String text) {
        Matcher block = BLOCK.matcher(text);
        if (!block.find()) {
            throw new IllegalArgumentException(
                    text.contains("AGE-SECRET-KEY-")
                            ? "it has an identity of age"
                            : "it has no PEM block");
        }
        KeyPem pem = new KeyPem(block.group(1), Base64.getMimeDecoder().decode(block.group(2)));
        if (block.find()) {
            throw new IllegalArgumentException("it has more than one PEM block");
        }
        return pem;
    }

    String text() {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(
                        label,
                        Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII))
                                .encodeToString(der),
                        label);
    }

    /** Its content may be a private key. */
    @Override
    public String toString() {
        return label;
    }
}
