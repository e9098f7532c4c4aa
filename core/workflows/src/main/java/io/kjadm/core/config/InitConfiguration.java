package io.kjadm.core.config;

import io.kjadm.core.value.Timeouts;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What {@code init} needs to know about this node and this run; never stored in the cluster.
 *
 * @param certificateKey 64 hexadecimal digits; absent means that one is made when it is needed
 */
public record InitConfiguration(
        List<BootstrapToken> bootstrapTokens,
        boolean dryRun,
        NodeRegistration nodeRegistration,
        ApiEndpoint localApiEndpoint,
        Optional<String> certificateKey,
        List<String> skipPhases,
        Optional<Path> patchesDirectory,
        Timeouts timeouts) {

    public InitConfiguration {
        bootstrapTokens = List.copyOf(bootstrapTokens);
        skipPhases = List.copyOf(skipPhases);
    }

    public InitConfiguration withBootstrapTokens(List<BootstrapToken> tokens) {
        return new InitConfiguration(
                tokens,
                dryRun,
                nodeRegistration,
                localApiEndpoint,
                certificateKey,
                skipPhases,
                patchesDirectory,
                timeouts);
    }

    public InitConfiguration withDryRun(boolean wanted) {
        return new InitConfiguration(
                bootstrapTokens,
                wanted,
                nodeRegistration,
                localApiEndpoint,
                certificateKey,
                skipPhases,
                patchesDirectory,
                timeouts);
    }

    public InitConfiguration withNodeRegistration(NodeRegistration registration) {
        return new InitConfiguration(
                bootstrapTokens,
                dryRun,
                registration,
                localApiEndpoint,
                certificateKey,
                skipPhases,
                patchesDirectory,
                timeouts);
    }

    public InitConfiguration withLocalApiEndpoint(ApiEndpoint endpoint) {
        return new InitConfiguration(
                bootstrapTokens,
                dryRun,
                nodeRegistration,
                endpoint,
                certificateKey,
                skipPhases,
                patchesDirectory,
                timeouts);
    }

    public InitConfiguration withSkipPhases(List<String> phases) {
        return new InitConfiguration(
                bootstrapTokens,
                dryRun,
                nodeRegistration,
                localApiEndpoint,
                certificateKey,
                phases,
                patchesDirectory,
                timeouts);
    }

    /** Leaves the certificate key out; tokens hide themselves. */
    @Override
    public String toString() {
        return "InitConfiguration[node=%s, endpoint=%s, tokens=%s, skipPhases=%s, dryRun=%s]"
                .formatted(
                        nodeRegistration.name(),
                        localApiEndpoint,
                        bootstrapTokens,
                        skipPhases,
                        dryRun);
    }
}
