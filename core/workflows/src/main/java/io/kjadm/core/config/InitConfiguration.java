package io.kjadm.core.config;

import java.util.List;
import java.util.Optional;

/**
 * What {@code init} needs to know about this node and this run; never stored in the cluster.
 *
 * @param certificateKey 64 hexadecimal digits; absent means that one is made when it is needed
 */
public record InitConfiguration(
        List<BootstrapToken> bootstrapTokens,
        NodeRegistration nodeRegistration,
        ApiEndpoint localApiEndpoint,
        Optional<String> certificateKey,
        RunSettings settings)
        implements RunSettings.Holder {

    public InitConfiguration {
        bootstrapTokens = List.copyOf(bootstrapTokens);
    }

    public InitConfiguration withBootstrapTokens(List<BootstrapToken> tokens) {
        return new InitConfiguration(
                tokens, nodeRegistration, localApiEndpoint, certificateKey, settings);
    }

    public InitConfiguration withNodeRegistration(NodeRegistration registration) {
        return new InitConfiguration(
                bootstrapTokens, registration, localApiEndpoint, certificateKey, settings);
    }

    public InitConfiguration withLocalApiEndpoint(ApiEndpoint endpoint) {
        return new InitConfiguration(
                bootstrapTokens, nodeRegistration, endpoint, certificateKey, settings);
    }

    InitConfiguration withSettings(RunSettings others) {
        return new InitConfiguration(
                bootstrapTokens, nodeRegistration, localApiEndpoint, certificateKey, others);
    }

    /** Leaves the certificate key out; tokens hide themselves. */
    @Override
    public String toString() {
        return "InitConfiguration[node=%s, endpoint=%s, tokens=%s, skipPhases=%s, dryRun=%s]"
                .formatted(
                        nodeRegistration.name(),
                        localApiEndpoint,
                        bootstrapTokens,
                        skipPhases(),
                        dryRun());
    }
}
