package io.kjadm.core.config;

import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.value.Timeouts;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What {@code join} needs to know.
 *
 * @param caCertPath where the discovered CA certificate goes
 * @param controlPlane present when this node joins as a control-plane node
 */
public record JoinConfiguration(
        boolean dryRun,
        NodeRegistration nodeRegistration,
        Path caCertPath,
        Discovery discovery,
        Optional<JoinControlPlane> controlPlane,
        List<String> skipPhases,
        Optional<Path> patchesDirectory,
        Timeouts timeouts) {

    /** Where the CA certificate goes when nobody chose. */
    public static final Path DEFAULT_CA_CERT_PATH = KubernetesPaths.standard().caCertificate();

    public JoinConfiguration {
        skipPhases = List.copyOf(skipPhases);
    }

    public JoinConfiguration withDryRun(boolean wanted) {
        return new JoinConfiguration(
                wanted,
                nodeRegistration,
                caCertPath,
                discovery,
                controlPlane,
                skipPhases,
                patchesDirectory,
                timeouts);
    }

    public JoinConfiguration withNodeRegistration(NodeRegistration registration) {
        return new JoinConfiguration(
                dryRun,
                registration,
                caCertPath,
                discovery,
                controlPlane,
                skipPhases,
                patchesDirectory,
                timeouts);
    }

    public JoinConfiguration withControlPlane(Optional<JoinControlPlane> part) {
        return new JoinConfiguration(
                dryRun,
                nodeRegistration,
                caCertPath,
                discovery,
                part,
                skipPhases,
                patchesDirectory,
                timeouts);
    }

    public JoinConfiguration withDiscovery(Discovery way) {
        return new JoinConfiguration(
                dryRun,
                nodeRegistration,
                caCertPath,
                way,
                controlPlane,
                skipPhases,
                patchesDirectory,
                timeouts);
    }

    public JoinConfiguration withSkipPhases(List<String> phases) {
        return new JoinConfiguration(
                dryRun,
                nodeRegistration,
                caCertPath,
                discovery,
                controlPlane,
                phases,
                patchesDirectory,
                timeouts);
    }

    public JoinConfiguration withTimeouts(Timeouts limits) {
        return new JoinConfiguration(
                dryRun,
                nodeRegistration,
                caCertPath,
                discovery,
                controlPlane,
                skipPhases,
                patchesDirectory,
                limits);
    }
}
