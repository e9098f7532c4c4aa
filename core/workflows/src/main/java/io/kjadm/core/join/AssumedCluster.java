package io.kjadm.core.join;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.kjadm.core.config.ApiEndpoint;
import io.kjadm.core.config.BootstrapToken;
import io.kjadm.core.config.ClusterDocuments;
import io.kjadm.core.config.ConfigurationYaml;
import io.kjadm.core.config.Discovery;
import io.kjadm.core.config.FileDiscovery;
import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.config.TokenDiscovery;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.AbsentApi;
import io.kjadm.core.kube.KubeAccess;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeConnector;
import io.kjadm.core.node.SharedCertificates;
import io.kjadm.core.value.HostAndPort;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.manifests.CertificatesSecret;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.DetachedJws;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.TextResource;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.SealedFile;
import io.kjadm.pki.ServiceAccountKeys;
import io.kjadm.pki.Validity;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The cluster that a dry run of a join or of an upgrade assumes, as kubeadm's does
 * ({@code cmd/kubeadm/app/util/apiclient/dryrun.go}): one with the defaults and a stacked etcd. No server is asked. Its CA is made for the run, and every token signs.
 */
public final class AssumedCluster implements KubeConnector {

    private static final Duration VALID = Duration.ofDays(1);
    private static final String TOKEN = "abcdef.abcdef0123456789";

    private final Optional<Discovery> discovery;
    private final Optional<CertificateKey> certificateKey;
    private final String version;
    private final CertificateAuthority ca;

    /**
     * Assumes the cluster that a join is to find, of the newest version.
     *
     * @param config what the join was told; discovery and certificate key count
     */
    public AssumedCluster(JoinConfiguration config, Instant now) {
        this(
                Optional.of(config.discovery()),
                config.controlPlane()
                        .flatMap(part -> part.certificateKey())
                        .map(CertificateKey::parse),
                KubernetesVersion.CURRENT.text(),
                now);
    }

    /** The cluster of a node that is to be upgraded, of this version. */
    public static AssumedCluster ofVersion(String version, Instant now) {
        return new AssumedCluster(Optional.empty(), Optional.empty(), version, now);
    }

    private AssumedCluster(
            Optional<Discovery> discovery,
            Optional<CertificateKey> certificateKey,
            String version,
            Instant now) {
        this.discovery = discovery;
        this.certificateKey = certificateKey;
        this.version = version;
        this.ca = CertificateAuthority.create(
                "kubernetes",
                KeyAlgorithm.ECDSA_P256,
                Validity.startingAt(now.minus(VALID), VALID.multipliedBy(2)));
    }

    /**
     * The way by which a join finds this cluster: pins count, and this cluster's is one of them; a
     * discovery file that would have to be downloaded is not.
     */
    public Discovery discovery() {
        return switch (discovery.orElseThrow()) {
            case TokenDiscovery given ->
                new TokenDiscovery(
                        given.token(),
                        given.apiServerEndpoint(),
                        pins(given.caCertHashes()),
                        given.unsafeSkipCaVerification(),
                        given.tlsBootstrapToken());
            case FileDiscovery file
            when file.isUrl() ->
                new TokenDiscovery(
                        TOKEN,
                        new HostAndPort(
                                URI.create(file.kubeConfigPath()).getHost(),
                                ApiEndpoint.DEFAULT_PORT),
                        pins(List.of()),
                        false,
                        file.tlsBootstrapToken());
            case FileDiscovery file -> file;
        };
    }

    private List<String> pins(List<String> given) {
        List<String> pins = new ArrayList<>(given);
        pins.add(ca.info().pin().format());
        return pins;
    }

    @Override
    public KubeApi connect(KubeAccess access) {
        return new Answers(access.server());
    }

    /** What its API server would answer. */
    private final class Answers extends AbsentApi {

        private final URI server;

        private Answers(URI server) {
            this.server = server;
        }

        @Override
        public <T extends HasMetadata> Optional<T> get(
                Class<T> type, String namespace, String name) {
            return object(type, name).map(type::cast);
        }

        @Override
        public String raw(String path) {
            return path.equals("/version")
                    ? "{\"gitVersion\": \"%s\"}".formatted(version)
                    : super.raw(path);
        }

        private Optional<HasMetadata> object(Class<?> type, String name) {
            if (type == Node.class) {
                return Optional.of(node(name));
            }
            if (type == Secret.class && name.equals(CertificatesSecret.NAME)) {
                return certificateKey.map(this::certificates);
            }
            if (type != ConfigMap.class) {
                return Optional.empty();
            }
            return switch (name) {
                case ConfigurationMaps.CLUSTER_INFO -> Optional.of(clusterInfo());
                case ConfigurationMaps.KUBEADM_CONFIG ->
                    Optional.of(ConfigurationMaps.kubeadmConfig(configuration()));
                case ConfigurationMaps.KUBELET_CONFIG -> Optional.of(kubelet());
                default -> Optional.empty();
            };
        }

        /** One that has registered itself. */
        private Node node(String name) {
            return new NodeBuilder()
                    .withNewMetadata()
                    .withName(name)
                    .addToLabels("kubernetes.io/hostname", name)
                    .endMetadata()
                    .withNewSpec()
                    .endSpec()
                    .build();
        }

        private ConfigMap clusterInfo() {
            ConfigMap map = ConfigurationMaps.clusterInfo(Kubeconfig.clusterInfo(
                    new KubeconfigCluster(server.toString(), ca.certificatePem())));
            Map<String, String> data = new LinkedHashMap<>(map.getData());
            if (discovery.isPresent()
                    && AssumedCluster.this.discovery() instanceof TokenDiscovery way
                    && BootstrapToken.isToken(way.token())) {
                data.put(
                        DetachedJws.dataKey(way.tokenId()),
                        DetachedJws.sign(
                                way.tokenId(),
                                way.tokenSecret(),
                                data.get(ConfigurationMaps.CLUSTER_INFO_KEY)));
            }
            map.setData(data);
            return map;
        }

        private String configuration() {
            return TextResource.filled(
                    AssumedCluster.class,
                    "assumed-cluster.yaml",
                    Map.of("VERSION", version, "ENDPOINT", server.getAuthority()));
        }

        private ConfigMap kubelet() {
            ClusterDocuments documents = new ClusterDocuments(_ -> {});
            String text = ConfigurationYaml.kubelet(documents.kubelet(
                    TextResource.filled(AssumedCluster.class, "assumed-kubelet.yaml", Map.of()),
                    false,
                    documents.cluster(configuration(), ApiEndpoint.DEFAULT_PORT)));
            return ConfigurationMaps.kubeletConfig(text, ConfigurationMaps.Origin.GENERATED);
        }

        /** The same CA for all, encrypted with the key that was given. */
        private Secret certificates(CertificateKey key) {
            ServiceAccountKeys accounts = ServiceAccountKeys.generate(KeyAlgorithm.ECDSA_P256);
            Map<String, byte[]> sealed = new LinkedHashMap<>();
            SharedCertificates.files(
                            new ClusterDocuments(_ -> {})
                                    .cluster(configuration(), ApiEndpoint.DEFAULT_PORT),
                            KubernetesPaths.standard())
                    .keySet()
                    .forEach(entry -> sealed.put(
                            entry,
                            SealedFile.seal(
                                            content(entry, accounts)
                                                    .getBytes(StandardCharsets.UTF_8),
                                            key)
                                    .bytes()));
            return CertificatesSecret.build(
                    sealed, new CertificatesSecret.Owner("bootstrap-token-abcdef", ""));
        }

        private String content(String entry, ServiceAccountKeys accounts) {
            return switch (entry) {
                case "sa.key" -> accounts.privateKeyPem();
                case "sa.pub" -> accounts.publicKeyPem();
                default -> entry.endsWith(".key") ? ca.keyPem().orElseThrow() : ca.certificatePem();
            };
        }
    }
}
