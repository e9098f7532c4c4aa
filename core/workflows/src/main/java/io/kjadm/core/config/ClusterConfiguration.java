package io.kjadm.core.config;

import io.kjadm.core.etcd.ConfiguredEtcd;
import io.kjadm.core.feature.FeatureGates;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.value.HostAndPort;
import io.kjadm.core.value.KubernetesVersion;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What all nodes of the cluster share; stored in the ConfigMap {@code kubeadm-config}.
 *
 * @param kubernetesVersion {@code vX.Y.Z}, once loaded; without the prefix {@code ci/}
 * @param ciVersion whether the version names a build of the CI, not a release
 * @param controlPlaneEndpoint the stable address of the whole control plane, port always set
 * @param proxyDisabled whether the cluster does without the kube-proxy addon
 */
public record ClusterConfiguration(
        String kubernetesVersion,
        boolean ciVersion,
        String clusterName,
        Optional<HostAndPort> controlPlaneEndpoint,
        Path certificatesDir,
        String imageRepository,
        EncryptionAlgorithm encryptionAlgorithm,
        Duration certificateValidityPeriod,
        Duration caCertificateValidityPeriod,
        FeatureGates featureGates,
        Networking networking,
        ApiServer apiServer,
        ControlPlaneComponent controllerManager,
        ControlPlaneComponent scheduler,
        Dns dns,
        boolean proxyDisabled,
        Etcd etcd) {

    /** Where images come from when nobody chose. */
    public static final String DEFAULT_IMAGE_REPOSITORY = "registry.k8s.io";

    /** The label that is resolved when no version is given. */
    public static final String DEFAULT_VERSION_LABEL = "stable-1";

    public static final String DEFAULT_CLUSTER_NAME = "kubernetes";

    public static final Duration DEFAULT_CERTIFICATE_VALIDITY = Duration.ofHours(8760);

    public static final Duration DEFAULT_CA_CERTIFICATE_VALIDITY = Duration.ofHours(87600);

    /** A configuration in which nothing was chosen; its version is still a label. */
    public static ClusterConfiguration defaults() {
        return new ClusterConfiguration(
                DEFAULT_VERSION_LABEL,
                false,
                DEFAULT_CLUSTER_NAME,
                Optional.empty(),
                KubernetesPaths.CERTIFICATES_DIR,
                DEFAULT_IMAGE_REPOSITORY,
                EncryptionAlgorithm.RSA_2048,
                DEFAULT_CERTIFICATE_VALIDITY,
                DEFAULT_CA_CERTIFICATE_VALIDITY,
                FeatureGates.defaults(),
                Networking.DEFAULTS,
                ApiServer.EMPTY,
                ControlPlaneComponent.EMPTY,
                ControlPlaneComponent.EMPTY,
                Dns.DEFAULTS,
                false,
                LocalEtcd.DEFAULTS);
    }

    /** The version as numbers. */
    public KubernetesVersion version() {
        return KubernetesVersion.parse(kubernetesVersion)
                .orElseThrow(() -> new IllegalStateException(
                        "version was not resolved: " + kubernetesVersion));
    }

    /** What it says of etcd. */
    public ConfiguredEtcd configuredEtcd() {
        return new ConfiguredEtcd(
                etcd instanceof ExternalEtcd,
                etcd instanceof LocalEtcd local ? Optional.of(local.dataDir()) : Optional.empty(),
                certificatesDir);
    }

    /** The address clients outside this node use: the stable endpoint, else this node's own. */
    public HostAndPort endpointOr(ApiEndpoint local) {
        return controlPlaneEndpoint.orElseGet(local::hostAndPort);
    }

    public ClusterConfiguration withKubernetesVersion(String version, boolean ci) {
        return with(version, ci, dns, proxyDisabled, etcd);
    }

    /** The same cluster with its two addons switched on or off. */
    public ClusterConfiguration withAddons(Dns names, boolean withoutProxy) {
        return with(kubernetesVersion, ciVersion, names, withoutProxy, etcd);
    }

    public ClusterConfiguration withEtcd(Etcd store) {
        return with(kubernetesVersion, ciVersion, dns, proxyDisabled, store);
    }

    private ClusterConfiguration with(
            String version, boolean ci, Dns names, boolean withoutProxy, Etcd store) {
        return new ClusterConfiguration(
                version,
                ci,
                clusterName,
                controlPlaneEndpoint,
                certificatesDir,
                imageRepository,
                encryptionAlgorithm,
                certificateValidityPeriod,
                caCertificateValidityPeriod,
                featureGates,
                networking,
                apiServer,
                controllerManager,
                scheduler,
                names,
                withoutProxy,
                store);
    }
}
