package io.kjadm.core.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What loading may ask the machine for; not every command needs everything.
 *
 * @param criSocket to take where none is given; if empty a container runtime is looked for, and
 *        several are refused
 * @param lookUpVersion whether to look up labels on the network, or take this program's version
 * @param needsAddress whether an API server is to listen, so that there must be an address for it
 * @param deploys whether a control plane of the version is to be deployed, so that it must be one
 *        that this program deploys
 * @param adminConf a kubeconfig that stands in for discovery when a join is described by flags
 */
public record LoadOptions(
        Optional<String> criSocket,
        boolean lookUpVersion,
        boolean needsAddress,
        boolean deploys,
        Optional<Path> adminConf) {

    /** For {@code init}, {@code join} and {@code reset}. */
    public static final LoadOptions RUN =
            new LoadOptions(Optional.empty(), true, true, true, Optional.empty());

    /** For {@code config images list} and {@code validate}. */
    public static final LoadOptions INSPECT =
            new LoadOptions(Optional.of(CriSockets.DEFAULT), true, false, false, Optional.empty());

    /** For {@code config migrate}. */
    public static final LoadOptions MIGRATE =
            new LoadOptions(Optional.empty(), true, false, false, Optional.empty());

    /** For {@code token create} and others that do not care about the version. */
    public static final LoadOptions OFFLINE =
            new LoadOptions(Optional.of(CriSockets.DEFAULT), false, false, false, Optional.empty());

    public LoadOptions withAdminConf(Path kubeconfig) {
        return new LoadOptions(
                criSocket, lookUpVersion, needsAddress, deploys, Optional.of(kubeconfig));
    }

    public LoadOptions withCriSocket(String socket) {
        return new LoadOptions(
                Optional.of(socket), lookUpVersion, needsAddress, deploys, adminConf);
    }
}
