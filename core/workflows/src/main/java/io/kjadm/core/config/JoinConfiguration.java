package io.kjadm.core.config;

import io.kjadm.core.host.KubernetesPaths;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What {@code join} needs to know.
 *
 * @param caCertPath where the discovered CA certificate goes
 * @param controlPlane present when this node joins as a control-plane node
 */
public record JoinConfiguration(
        NodeRegistration nodeRegistration,
        Path caCertPath,
        Discovery discovery,
        Optional<JoinControlPlane> controlPlane,
        RunSettings settings)
        implements RunSettings.Holder {

    /** Where the CA certificate goes when nobody chose. */
    public static final Path DEFAULT_CA_CERT_PATH = KubernetesPaths.standard().caCertificate();

    public JoinConfiguration withNodeRegistration(NodeRegistration registration) {
        return new JoinConfiguration(registration, caCertPath, discovery, controlPlane, settings);
    }

    public JoinConfiguration withControlPlane(Optional<JoinControlPlane> part) {
        return new JoinConfiguration(nodeRegistration, caCertPath, discovery, part, settings);
    }

    public JoinConfiguration withDiscovery(Discovery way) {
        return new JoinConfiguration(nodeRegistration, caCertPath, way, controlPlane, settings);
    }

    JoinConfiguration withSettings(RunSettings others) {
        return new JoinConfiguration(nodeRegistration, caCertPath, discovery, controlPlane, others);
    }
}
