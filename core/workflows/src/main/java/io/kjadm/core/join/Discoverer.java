package io.kjadm.core.join;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.FileDiscovery;
import io.kjadm.core.config.KubeletConfig;
import io.kjadm.core.config.TokenDiscovery;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeAccess;
import io.kjadm.core.kube.KubeAccesses;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.KubeSystem;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Finds out which cluster to join, whom to trust, and how it is configured. Phases call
 * {@link #ensure}; the work is done once in a run.
 */
record Discoverer(HostFiles files, KubeClients clients, Waiter waiter) {

    private static final String TOKEN_USER = "tls-bootstrap-token-user";

    /** The run, knowing its cluster. */
    JoinRun ensure(JoinRun run, Reporter out) {
        return run.discovered().isPresent() ? run : run.with(discover(run, out));
    }

    private DiscoveredCluster discover(JoinRun run, Reporter out) {
        Bootstrap bootstrap = bootstrap(run, out);
        KubeAccess access =
                KubeAccesses.of(bootstrap.cluster(), bootstrap.credential(), Path.of("/"), files);
        out.step(
                "preflight",
                "Reading configuration from the \"%s\" ConfigMap in namespace \"kube-system\"..."
                        .formatted(ConfigurationMaps.KUBEADM_CONFIG));
        KubeApi api = clients.as(access);
        KubeCalls calls = new KubeCalls(waiter, run.config().timeouts().kubernetesApiCall());
        ClusterTexts texts = new ClusterTexts(
                read(
                        calls,
                        api,
                        ConfigurationMaps.KUBEADM_CONFIG,
                        ConfigurationMaps.KUBEADM_CONFIG_KEY),
                read(
                        calls,
                        api,
                        ConfigurationMaps.KUBELET_CONFIG,
                        ConfigurationMaps.KUBELET_CONFIG_KEY));
        ClusterConfiguration cluster = texts.cluster(run.config(), out::warn);
        KubeletConfig kubelet = texts.kubelet(cluster, out::warn);
        cluster.featureGates().warnings().forEach(out::warn);
        Kubeconfig kubeconfig = Kubeconfig.of(
                new Kubeconfig.Names(cluster.clusterName(), bootstrap.user()),
                bootstrap.cluster(),
                FileDiscoverer.user(bootstrap.credential()));
        return new DiscoveredCluster(
                kubeconfig, access, bootstrap.caPem(), cluster, kubelet, texts);
    }

    /**
     * @param cluster as it was named, perhaps without a CA
     * @param caPem   the cluster's CA, known by now in any case
     */
    private record Bootstrap(
            KubeconfigCluster cluster,
            String caPem,
            String user,
            KubeAccess.Credential credential) {}

    private Bootstrap bootstrap(JoinRun run, Reporter out) {
        var limit = run.config().timeouts().discovery();
        return switch (run.config().discovery()) {
            case TokenDiscovery way -> {
                KubeconfigCluster found =
                        new TokenDiscoverer(clients, waiter, limit, out).discover(way);
                yield token(
                        found,
                        found.caPem().orElseThrow(),
                        way.tlsBootstrapToken().orElse(way.token()));
            }
            case FileDiscovery way -> {
                FileDiscoverer.Found found =
                        new FileDiscoverer(files, clients, waiter, limit, out).discover(way);
                yield way.tlsBootstrapToken()
                        .map(token -> token(found.cluster(), found.caPem(), token))
                        .or(() -> found.credential()
                                .map(own -> new Bootstrap(
                                        found.cluster(),
                                        found.caPem(),
                                        "discovery-file-user",
                                        own)))
                        .orElseThrow(() -> new UsageException(
                                "there are no credentials to join with",
                                "the discovery file %s has none and no --tls-bootstrap-token was given"
                                        .formatted(way.kubeConfigPath()),
                                "give a token with --tls-bootstrap-token or --token"));
            }
        };
    }

    private static Bootstrap token(KubeconfigCluster cluster, String caPem, String token) {
        return new Bootstrap(cluster, caPem, TOKEN_USER, new KubeAccess.Credential.Token(token));
    }

    private static String read(KubeCalls calls, KubeApi api, String name, String key) {
        Optional<ConfigMap> map = calls.repeatUntilAllowed(
                "preflight",
                "read ConfigMap " + name,
                () -> api.get(ConfigMap.class, KubeSystem.NAMESPACE, name));
        return map.map(ConfigMap::getData)
                .map(data -> data.get(key))
                .orElseThrow(
                        () -> new ClusterException(
                                "the cluster has no ConfigMap %s with key %s in kube-system"
                                        .formatted(name, key),
                                "it was not set up by kjadm or kubeadm, or the ConfigMap was removed",
                                "upload it again with 'kjadm init phase upload-config all' on a control-plane node"));
    }
}
