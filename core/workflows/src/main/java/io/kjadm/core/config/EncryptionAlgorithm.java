package io.kjadm.core.config;

import java.util.Arrays;
import java.util.Optional;

/** The algorithms for keys that are newly made. */
public enum EncryptionAlgorithm {
    RSA_2048("RSA-2048"),
    RSA_3072("RSA-3072"),
    RSA_4096("RSA-4096"),
    ECDSA_P256("ECDSA-P256"),
    ECDSA_P384("ECDSA-P384");

    private final String text;

    EncryptionAlgorithm(String text) {
        this.text = text;
    }

    /** The name used in files. */
    public String text() {
        return text;
    }

    /** Why an algorithm of that name cannot be used, if there is more to say than its name. */
    static Optional<String> whyNot(String text) {
        return text.startsWith("ML-DSA-")
                ? Optional.of(
                        "ML-DSA keys belong to Kubernetes v1.38 and newer; this program cannot make them")
                : Optional.empty();
    }

    /** The algorithm written that way. */
    public static Optional<EncryptionAlgorithm> of(String text) {
        return Arrays.stream(values())
                .filter(algorithm -> algorithm.text.equals(text))
                .findFirst();
    }
}
