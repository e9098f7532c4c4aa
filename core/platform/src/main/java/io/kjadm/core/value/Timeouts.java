package io.kjadm.core.value;

import java.time.Duration;

/** How long things may take; the same set in every configuration kind. */
public record Timeouts(
        Duration controlPlaneComponentHealthCheck,
        Duration kubeletHealthCheck,
        Duration kubernetesApiCall,
        Duration etcdApiCall,
        Duration tlsBootstrap,
        Duration discovery,
        Duration upgradeManifests) {

    /** The limits when nobody chose. */
    public static final Timeouts DEFAULTS = new Timeouts(
            Duration.ofMinutes(4),
            Duration.ofMinutes(4),
            Duration.ofMinutes(1),
            Duration.ofMinutes(2),
            Duration.ofMinutes(5),
            Duration.ofMinutes(5),
            Duration.ofMinutes(5));

    public Timeouts withControlPlaneComponentHealthCheck(Duration limit) {
        return new Timeouts(
                limit,
                kubeletHealthCheck,
                kubernetesApiCall,
                etcdApiCall,
                tlsBootstrap,
                discovery,
                upgradeManifests);
    }
}
