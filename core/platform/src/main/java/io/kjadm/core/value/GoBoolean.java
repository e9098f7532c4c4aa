package io.kjadm.core.value;

import java.util.Optional;

/** Yes and no as Go's {@code strconv.ParseBool} reads them, and so every switch of kubeadm. */
public final class GoBoolean {

    private GoBoolean() {}

    /** Reads a boolean; empty for any other word, empty text among them. */
    public static Optional<Boolean> parse(String text) {
        return switch (text) {
            case "1", "t", "T", "true", "TRUE", "True" -> Optional.of(true);
            case "0", "f", "F", "false", "FALSE", "False" -> Optional.of(false);
            default -> Optional.empty();
        };
    }
}
