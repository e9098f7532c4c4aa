package io.kjadm.core.config;

import java.util.Optional;

/**
 * The part of a join that makes the node a control-plane node.
 *
 * @param certificateKey 64 hexadecimal digits; present when the shared certificates are downloaded
 */
public record JoinControlPlane(ApiEndpoint localApiEndpoint, Optional<String> certificateKey) {

    public JoinControlPlane withLocalApiEndpoint(ApiEndpoint endpoint) {
        return new JoinControlPlane(endpoint, certificateKey);
    }

    public JoinControlPlane withCertificateKey(Optional<String> key) {
        return new JoinControlPlane(localApiEndpoint, key);
    }

    /** Leaves the key out. */
    @Override
    public String toString() {
        return "JoinControlPlane[localApiEndpoint=%s, certificateKey=%s]"
                .formatted(localApiEndpoint, certificateKey.isPresent() ? "given" : "none");
    }
}
