package io.kjadm.core.node;

import io.kjadm.core.config.ApiEndpoint;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.KubeletConfig;
import io.kjadm.core.config.NodeRegistration;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.core.value.Timeouts;
import io.kjadm.pki.CertificateSpec;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.Validity;

import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * What a control-plane node is to be: everything its certificates, kubeconfigs and manifests are
 * made from. Equal for the first node and for joining ones.
 *
 * @param registration node name, container runtime socket, taints, kubelet arguments
 * @param endpoint     address and port of this node's own API server
 * @param cluster      the cluster's configuration
 * @param kubelet      the cluster-wide kubelet configuration
 * @param places       where its files are
 * @param timeouts     limits of waits
 * @param startedAt    one moment for all certificates of the run
 */
public record ControlPlaneNode(
        NodeRegistration registration,
        ApiEndpoint endpoint,
        ClusterConfiguration cluster,
        KubeletConfig kubelet,
        Places places,
        Timeouts timeouts,
        Instant startedAt) {

    /**
     * Where its files are.
     *
     * @param kubeconfigDir where kubeconfigs are written; {@code paths.kubernetesDir()} but for
     *     single phases
     * @param patches       directory with patches, if any
     */
    public record Places(KubernetesPaths paths, Path kubeconfigDir, Optional<Path> patches) {

        /** With kubeconfigs where a node has them. */
        public static Places of(KubernetesPaths paths, Optional<Path> patches) {
            return new Places(paths, paths.kubernetesDir(), patches);
        }
    }

    /** Where its files are. */
    public KubernetesPaths paths() {
        return places.paths;
    }

    /** The directory with patches, if any. */
    public Optional<Path> patches() {
        return places.patches;
    }

    /** The node's name in the cluster. */
    public String name() {
        return registration.name();
    }

    /** This node's own API server, {@code https://address:port}. */
    public URI localEndpoint() {
        return endpoint.hostAndPort().httpsUri();
    }

    /** The stable endpoint of the whole control plane, or this node's if the cluster has none. */
    public URI controlPlaneEndpoint() {
        return cluster.endpointOr(endpoint).httpsUri();
    }

    /** The files of a certificate and its key. */
    public CertificatePair pair(CertificateSpec spec) {
        return CertificatePair.of(paths().certificatesDir(), spec);
    }

    /** The validity of a certificate that is made in this run. */
    Validity validity() {
        return Validity.startingAt(startedAt, cluster.certificateValidityPeriod());
    }

    /** The kind of keys that the cluster uses. */
    public KeyAlgorithm keyAlgorithm() {
        return KeyAlgorithm.fromName(cluster.encryptionAlgorithm().text());
    }

    /** A kubeconfig of this node by file name. */
    public Path kubeconfig(String fileName) {
        return places.kubeconfigDir.resolve(fileName);
    }
}
