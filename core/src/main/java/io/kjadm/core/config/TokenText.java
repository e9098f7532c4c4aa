package io.kjadm.core.config;

import java.security.SecureRandom;

/** Makes bootstrap tokens up. */
public final class TokenText {

    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

    private TokenText() {}

    /** A new token, {@code id.secret}, out of the system's secure random numbers. */
    public static String random() {
        SecureRandom random = new SecureRandom();
        return random(random, 6) + "." + random(random, 16);
    }

    private static String random(SecureRandom random, int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return text.toString();
    }
}
