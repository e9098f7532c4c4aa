package io.kjadm.cli.wiring;

import io.kjadm.core.config.CriSockets;
import io.kjadm.core.config.InitConfiguration;
import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.config.LoadedInit;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.phase.Reporter;

import java.util.Optional;

/**
 * This node as a configuration file describes it, or as it would be by defaults: for commands that
 * make files for a node without asking a cluster.
 */
public final class NodeOfConfiguration {

    /** Names and addresses are needed; neither a container runtime nor a version is. */
    private static final LoadOptions OPTIONS =
            new LoadOptions(Optional.of(CriSockets.DEFAULT), false, true, false, Optional.empty());

    private NodeOfConfiguration() {}

    /** With {@code --cert-dir} and {@code --kubeconfig-dir} in place of what the file says. */
    public static ControlPlaneNode load(CommandFlags flags, Composition composition, Reporter out) {
        LoadedInit loaded = Composition.loader(out)
                .init(Composition.configurationFile(flags), CommandFlags.none(), OPTIONS);
        InitConfiguration init = loaded.init();
        KubernetesPaths paths = KubernetesPaths.withCertificates(
                flags.path(Flag.CERT_DIR).orElse(loaded.cluster().certificatesDir()));
        return new ControlPlaneNode(
                init.nodeRegistration(),
                init.localApiEndpoint(),
                loaded.cluster(),
                loaded.kubelet(),
                new ControlPlaneNode.Places(
                        paths,
                        flags.path(Flag.KUBECONFIG_DIR).orElse(paths.kubernetesDir()),
                        init.patchesDirectory()),
                init.timeouts(),
                composition.ports().waiter().now());
    }
}
