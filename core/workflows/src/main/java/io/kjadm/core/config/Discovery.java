package io.kjadm.core.config;

import java.util.Optional;

/** How a joining node finds the control plane and comes to trust it. */
public sealed interface Discovery permits TokenDiscovery, FileDiscovery {

    /** The token the kubelet uses to ask for its client certificate. */
    Optional<String> tlsBootstrapToken();
}
