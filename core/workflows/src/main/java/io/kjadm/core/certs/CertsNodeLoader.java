package io.kjadm.core.certs;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.kjadm.core.config.ApiEndpoint;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ClusterDocuments;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.manifests.ApiServerPod;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.KubeSystem;
import io.kjadm.pki.KeyAlgorithm;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Finds out how this node's certificates are to be: from a file, from the cluster, or, where that
 * cannot be reached, from the node's own manifests and defaults. Expired certificates must not be
 * in the way of their renewal.
 */
public final class CertsNodeLoader {

    /** An API server that is down for want of a certificate shall not hold up its renewal. */
    private static final Duration CLUSTER_LIMIT = Duration.ofSeconds(5);

    private final HostFiles files;
    private final KubeClients clients;
    private final Waiter waiter;
    private final Reporter out;
    private final KubeCalls calls;

    /** @param waiter for what is only read; real even in a dry run */
    public CertsNodeLoader(HostFiles files, KubeClients clients, Waiter waiter, Reporter out) {
        this(files, clients, waiter, out, new KubeCalls(waiter, CLUSTER_LIMIT));
    }

    private CertsNodeLoader(
            HostFiles files, KubeClients clients, Waiter waiter, Reporter out, KubeCalls calls) {
        this.files = files;
        this.clients = clients;
        this.waiter = waiter;
        this.out = out;
        this.calls = calls;
    }

    /** For a command that changes nothing: the cluster has half a second to respond. */
    public CertsNodeLoader brief() {
        return new CertsNodeLoader(files, clients, waiter, out, KubeCalls.brief(waiter));
    }

    /** By a configuration file, which alone counts. */
    public CertsNode of(ClusterConfiguration file) {
        return node(file, file.certificatesDir(), file.etcd() instanceof LocalEtcd);
    }

    /**
     * By the cluster's configuration if it can be read.
     *
     * @param area       of the messages
     * @param kubeconfig to ask the cluster with; it may be missing
     * @param directory  of the certificates, if the operator names it; else the cluster's
     */
    public CertsNode find(String area, Path kubeconfig, Optional<Path> directory) {
        Optional<ClusterConfiguration> cluster = ask(area, kubeconfig);
        if (cluster.isPresent()) {
            ClusterConfiguration known = cluster.get();
            return node(
                    known,
                    directory.orElse(known.certificatesDir()),
                    known.etcd() instanceof LocalEtcd);
        }
        out.step(
                area,
                "Error reading configuration from the Cluster. Falling back to default configuration");
        LocalEtcdState etcd = LocalEtcdState.look(files, KubernetesPaths.standard());
        return node(
                ClusterConfiguration.defaults(),
                directory.or(this::directoryInUse).orElse(KubernetesPaths.CERTIFICATES_DIR),
                !etcd.external());
    }

    private CertsNode node(ClusterConfiguration cluster, Path directory, boolean stackedEtcd) {
        return new CertsNode(
                KubernetesPaths.withCertificates(directory),
                stackedEtcd,
                KeyAlgorithm.fromName(cluster.encryptionAlgorithm().text()),
                cluster.certificateValidityPeriod(),
                waiter.now());
    }

    /** The directory that the API server on this node reads. */
    private Optional<Path> directoryInUse() {
        return StaticPodText.of(files, KubernetesPaths.standard(), ApiServerPod.NAME)
                .flatMap(pod -> pod.flag("tls-cert-file"))
                .map(Path::of)
                .map(Path::getParent);
    }

    private Optional<ClusterConfiguration> ask(String area, Path kubeconfig) {
        out.step(
                area,
                "Reading configuration from the \"%s\" ConfigMap in namespace \"%s\"..."
                        .formatted(ConfigurationMaps.KUBEADM_CONFIG, KubeSystem.NAMESPACE));
        out.step(
                area,
                "Use 'kjadm init phase upload-config kubeadm --config your-config-file' to re-upload it.");
        try {
            return Optional.of(new ClusterDocuments(out::warn)
                    .cluster(read(area, clients.of(kubeconfig)), ApiEndpoint.DEFAULT_PORT));
        } catch (KjadmException e) {
            out.warn("the cluster's configuration cannot be read: %s: %s"
                    .formatted(e.what(), e.why()));
            return Optional.empty();
        }
    }

    private String read(String area, KubeApi api) {
        return calls.repeat(
                        area,
                        "read ConfigMap " + ConfigurationMaps.KUBEADM_CONFIG,
                        () -> api.get(
                                ConfigMap.class,
                                KubeSystem.NAMESPACE,
                                ConfigurationMaps.KUBEADM_CONFIG))
                .map(ConfigMap::getData)
                .map(data -> data.get(ConfigurationMaps.KUBEADM_CONFIG_KEY))
                .orElseThrow(() -> new ClusterException(
                        "there is no ConfigMap " + ConfigurationMaps.KUBEADM_CONFIG,
                        "",
                        "upload it with 'kjadm init phase upload-config kubeadm --config FILE'"));
    }
}
