package io.kjadm.core.reset;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.kjadm.core.config.ApiEndpoint;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ClusterDocuments;
import io.kjadm.core.config.CriSockets;
import io.kjadm.core.config.ResetConfiguration;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.leave.LeftJournals;
import io.kjadm.core.etcd.leave.ResetEntry;
import io.kjadm.core.etcd.leave.ResetJournal;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.restore.InterruptedRestore;
import io.kjadm.core.staticpod.KubeletCriSocket;
import io.kjadm.core.staticpod.ManifestStash;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.KubeSystem;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * Collects what a reset has to know, before its first phase: from the cluster if that answers, and
 * in any case from the node's own files.
 */
public final class ResetRunLoader {

    private final HostFiles files;
    private final KubeClients clients;
    private final RuntimeConnector runtimes;
    private final Waiter waiter;

    public ResetRunLoader(
            HostFiles files, KubeClients clients, RuntimeConnector runtimes, Waiter waiter) {
        this.files = files;
        this.clients = clients;
        this.runtimes = runtimes;
        this.waiter = waiter;
    }

    /**
     * The start of a run; nothing is changed.
     *
     * @param kubeconfig the file to ask the cluster with; it may be missing
     * @param search how to find the container runtime if nothing tells which is the node's
     * @throws io.kjadm.core.error.UsageException if the search finds several
     */
    public ResetRun start(
            ResetConfiguration config,
            Path kubeconfig,
            Function<CriSockets, String> search,
            Reporter out) {
        KubernetesPaths paths = KubernetesPaths.withCertificates(
                config.certificatesDir().orElse(KubernetesPaths.CERTIFICATES_DIR));
        Optional<ClusterConfiguration> cluster = cluster(kubeconfig, out);
        ManifestStash aside = new ManifestStash(files, paths, ResetJournal.place(paths));
        String socket = config.criSocket()
                .or(() -> KubeletCriSocket.find(files, paths))
                .or(() -> ResetJournal.read(files, aside.journal()).map(ResetEntry::criSocket))
                .orElseGet(() -> search.apply(new CriSockets(runtimes::canConnect)));
        return new ResetRun(
                config,
                paths,
                kubeconfig,
                socket,
                cluster,
                etcd(paths, aside, cluster),
                Optional.empty());
    }

    /** A restore that was interrupted keeps the manifests, and has noted the other members. */
    private LocalEtcdState etcd(
            KubernetesPaths paths, ManifestStash aside, Optional<ClusterConfiguration> cluster) {
        Path work = LeftJournals.restore(paths);
        ManifestStash restored = new ManifestStash(files, paths, work);
        LocalEtcdState etcd = LocalEtcdState.look(
                files,
                paths,
                name -> aside.text(name).or(() -> restored.takenOut(name)),
                cluster.map(ClusterConfiguration::configuredEtcd));
        return InterruptedRestore.find(files, work, etcd.dataDir())
                .map(found -> etcd.withOthers(found.clientUrls()))
                .orElse(etcd);
    }

    private Optional<ClusterConfiguration> cluster(Path kubeconfig, Reporter out) {
        if (!files.exists(kubeconfig)) {
            out.detail("reset: there is no %s, so the cluster is not asked".formatted(kubeconfig));
            return Optional.empty();
        }
        out.step(
                "reset",
                "Reading configuration from the \"%s\" ConfigMap in namespace \"kube-system\"..."
                        .formatted(ConfigurationMaps.KUBEADM_CONFIG));
        out.step(
                "reset",
                "Use 'kjadm init phase upload-config kubeadm --config your-config-file' to re-upload it.");
        try {
            Optional<String> yaml = read(clients.of(kubeconfig));
            if (yaml.isEmpty()) {
                out.warn(
                        "could not read the cluster configuration: continuing with what this node knows");
            }
            return yaml.map(text ->
                    new ClusterDocuments(out::warn).cluster(text, ApiEndpoint.DEFAULT_PORT));
        } catch (KjadmException e) {
            out.warn(
                    "could not read the cluster configuration (%s: %s): continuing with what this node knows"
                            .formatted(e.what(), e.why()));
            return Optional.empty();
        }
    }

    private Optional<String> read(KubeApi api) {
        Optional<ConfigMap> map = KubeCalls.brief(waiter)
                .repeat(
                        "reset",
                        "read ConfigMap " + ConfigurationMaps.KUBEADM_CONFIG,
                        () -> api.get(
                                ConfigMap.class,
                                KubeSystem.NAMESPACE,
                                ConfigurationMaps.KUBEADM_CONFIG));
        return map.map(ConfigMap::getData)
                .map(data -> data.get(ConfigurationMaps.KUBEADM_CONFIG_KEY));
    }
}
