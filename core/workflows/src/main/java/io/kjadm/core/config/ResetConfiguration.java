package io.kjadm.core.config;

import io.kjadm.core.value.Timeouts;
import io.kjadm.core.value.UnmountFlag;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What {@code reset} needs to know.
 *
 * @param certificatesDir the operator's choice; without one the cluster's value counts, and if that
 *         cannot be read the default
 * @param criSocket the operator's choice; without one this node's own record of it counts, then
 *         detection
 * @param forceLastMember whether the cluster may end with this node; only a flag says so
 */
public record ResetConfiguration(
        boolean cleanupTmpDir,
        Optional<Path> certificatesDir,
        Optional<String> criSocket,
        boolean dryRun,
        boolean force,
        boolean forceLastMember,
        List<String> ignorePreflightErrors,
        List<String> skipPhases,
        List<UnmountFlag> unmountFlags,
        Timeouts timeouts) {

    public ResetConfiguration {
        ignorePreflightErrors = List.copyOf(ignorePreflightErrors);
        skipPhases = List.copyOf(skipPhases);
        unmountFlags = List.copyOf(unmountFlags);
    }

    /** A reset in which nothing was chosen. */
    public static ResetConfiguration defaults() {
        return new ResetConfiguration(
                false,
                Optional.empty(),
                Optional.empty(),
                false,
                false,
                false,
                List.of(),
                List.of(),
                List.of(),
                Timeouts.DEFAULTS);
    }

    public ResetConfiguration withCriSocket(String socket) {
        return new ResetConfiguration(
                cleanupTmpDir,
                certificatesDir,
                Optional.of(socket),
                dryRun,
                force,
                forceLastMember,
                ignorePreflightErrors,
                skipPhases,
                unmountFlags,
                timeouts);
    }
}
