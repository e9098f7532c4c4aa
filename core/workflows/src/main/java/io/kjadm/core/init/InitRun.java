package io.kjadm.core.init;

import io.kjadm.core.config.InitConfiguration;
import io.kjadm.core.config.KubeProxyConfig;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.token.JoinCommandLine;

import java.util.List;
import java.util.Optional;

/**
 * What is known during one {@code init}.
 *
 * @param node           the node it makes
 * @param config         its configuration, tokens included
 * @param kubeProxy      the kube-proxy configuration
 * @param options        what only flags say
 * @param externalCa     whether the cluster CA's key is kept elsewhere
 * @param certificateKey key the uploaded certificates are encrypted with, once there is one; 64 hex
 *         digits
 * @param joinCommands   those that were printed, with the same parts withheld
 */
public record InitRun(
        ControlPlaneNode node,
        InitConfiguration config,
        KubeProxyConfig kubeProxy,
        InitOptions options,
        boolean externalCa,
        Optional<String> certificateKey,
        List<JoinCommandLine> joinCommands) {

    public InitRun {
        joinCommands = List.copyOf(joinCommands);
    }

    /** A run that begins. */
    public InitRun(
            ControlPlaneNode node,
            InitConfiguration config,
            KubeProxyConfig kubeProxy,
            InitOptions options,
            boolean externalCa,
            Optional<String> certificateKey) {
        this(node, config, kubeProxy, options, externalCa, certificateKey, List.of());
    }

    /** The same with the key of the uploaded certificates. */
    public InitRun withCertificateKey(String key) {
        return new InitRun(
                node, config, kubeProxy, options, externalCa, Optional.of(key), joinCommands);
    }

    /** The same with the commands by which other machines join. */
    InitRun withJoinCommands(List<JoinCommandLine> commands) {
        return new InitRun(node, config, kubeProxy, options, externalCa, certificateKey, commands);
    }

    /** Whether control-plane nodes can join: they need an address of the control plane. */
    public boolean takesControlPlanes() {
        return node.cluster().controlPlaneEndpoint().isPresent();
    }

    @Override
    public String toString() {
        return "InitRun[node=%s, options=%s, externalCa=%s]"
                .formatted(node.name(), options, externalCa);
    }
}
