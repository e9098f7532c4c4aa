package io.kjadm.core.token;

import java.util.random.RandomGenerator;

/** Makes and takes apart bootstrap tokens, {@code id.secret} (kubeadm reference 03 §3.1). */
public final class TokenText {

    private static final String ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
    private static final int ID_LENGTH = 6;
    private static final int SECRET_LENGTH = 16;

    private final RandomGenerator random;

    /**
     * @param random a cryptographic source but in tests
     */
    public TokenText(RandomGenerator random) {
        this.random = random;
    }

    /** A new token. */
    public String generate() {
        return word(ID_LENGTH) + "." + word(SECRET_LENGTH);
    }

    private String word(int length) {
        StringBuilder word = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            word.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return word.toString();
    }

    /** The public part. */
    public static String id(String token) {
        return token.substring(0, ID_LENGTH);
    }

    /** The secret part. */
    public static String secret(String token) {
        return token.substring(ID_LENGTH + 1);
    }
}
