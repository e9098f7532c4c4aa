package io.kjadm.manifests;

/**
 * Text that is not what it was given as: YAML that cannot be read, a kubeconfig without a cluster,
 * a bad patch.
 */
public final class ManifestException extends RuntimeException {

    public ManifestException(String message) {
        super(message);
    }

    public ManifestException(String message, Throwable cause) {
        super(message, cause);
    }
}
