package io.kjadm.core.feature;

import java.util.Arrays;
import java.util.Optional;

/**
 * A feature gate that kubeadm had once ({@code cmd/kubeadm/app/features/features.go}). The
 * configuration that a cluster has stored may still name it.
 */
public enum RemovedGate {

    /** The CRI socket is in the node's own configuration, always. */
    NODE_LOCAL_CRI_SOCKET(
            "NodeLocalCRISocket", "v1.37", "what it switched on is always done now; leave it out"),

    /** Overrode {@code encryptionAlgorithm}: ECDSA-P256 if true, RSA-2048 if false. */
    PUBLIC_KEYS_ECDSA("PublicKeysECDSA", "v1.37", "set encryptionAlgorithm instead");

    private final String key;
    private final String release;
    private final String advice;

    RemovedGate(String key, String release, String advice) {
        this.key = key;
        this.release = release;
        this.advice = advice;
    }

    /** The name as it was written in flags and files. */
    public String key() {
        return key;
    }

    /** The first minor without it, such as {@code v1.37}. */
    public String release() {
        return release;
    }

    /** What to do instead of setting it. */
    public String advice() {
        return advice;
    }

    /** The removed gate with that name, which is case-sensitive. */
    public static Optional<RemovedGate> named(String key) {
        return Arrays.stream(values()).filter(gate -> gate.key.equals(key)).findFirst();
    }
}
