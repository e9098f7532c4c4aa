package io.kjadm.core.config;

import java.util.Optional;

/**
 * Discovery through a kubeconfig.
 *
 * @param kubeConfigPath a path, or an {@code https} URL
 */
public record FileDiscovery(String kubeConfigPath, Optional<String> tlsBootstrapToken)
        implements Discovery {

    /** Whether the kubeconfig has to be downloaded. */
    public boolean isUrl() {
        return kubeConfigPath.startsWith("https://");
    }

    /** Shows no token. */
    @Override
    public String toString() {
        return "FileDiscovery[kubeConfigPath=%s]".formatted(kubeConfigPath);
    }
}
