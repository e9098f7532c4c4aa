package io.kjadm.core.config;

import io.kjadm.core.value.HostAndPort;

import java.util.List;
import java.util.Optional;

/**
 * Discovery through the signed {@code cluster-info} of an API server.
 *
 * @param token the bootstrap token that signs the answer, {@code id.secret}
 * @param caCertHashes pins, {@code sha256:} and the digest of the CA's public key info in hex
 */
public record TokenDiscovery(
        String token,
        HostAndPort apiServerEndpoint,
        List<String> caCertHashes,
        boolean unsafeSkipCaVerification,
        Optional<String> tlsBootstrapToken)
        implements Discovery {

    public TokenDiscovery {
        caCertHashes = List.copyOf(caCertHashes);
    }

    /** The token's public part. */
    public String tokenId() {
        return token.substring(0, token.indexOf('.'));
    }

    /** The token's secret part, with which the cluster signs. */
    public String tokenSecret() {
        return token.substring(token.indexOf('.') + 1);
    }

    @Override
    public String toString() {
        return "TokenDiscovery[apiServerEndpoint=%s, caCertHashes=%s, unsafeSkipCaVerification=%s]"
                .formatted(apiServerEndpoint, caCertHashes, unsafeSkipCaVerification);
    }
}
