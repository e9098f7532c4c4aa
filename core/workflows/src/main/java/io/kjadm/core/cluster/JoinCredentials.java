package io.kjadm.core.cluster;

import io.kjadm.core.config.BootstrapToken;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeAccesses;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.RbacObjects;

import java.nio.file.Path;
import java.util.List;

/**
 * What a node joins with: tokens, what their bearers may do, and {@code cluster-info}, by which a
 * node that knows nothing but a token finds and trusts the cluster
 * ({@code cmd/kubeadm/app/phases/bootstraptoken}).
 */
public final class JoinCredentials {

    private JoinCredentials() {}

    /** Writes the tokens, and the rights to post certificate requests and to have them signed. */
    public static void tokens(List<BootstrapToken> tokens, ClusterWriter to) {
        to.apply(tokens.stream()
                .map(token -> token.asSecret(to.now()).toSecret())
                .toList());
        to.apply(RbacObjects.bootstrapTokens());
    }

    /**
     * Writes {@code cluster-info}, readable for everybody. Server and CA are those that a
     * kubeconfig on disk has: the stable endpoint, not this node's.
     *
     * @throws HostException if there is no such kubeconfig, or it names no CA
     */
    public static void clusterInfo(Path kubeconfig, HostFiles files, ClusterWriter to) {
        to.apply(List.of(ConfigurationMaps.clusterInfo(published(kubeconfig, files))));
        to.apply(RbacObjects.clusterInfo());
    }

    private static Kubeconfig published(Path path, HostFiles files) {
        KubeconfigCluster cluster = Kubeconfig.parse(files.read(path)
                        .orElseThrow(() -> new HostException(
                                "there is no kubeconfig " + path,
                                "cluster-info is made from it",
                                "run phase kubeconfig first")))
                .cluster();
        String ca = KubeAccesses.embeddedCa(cluster, path, files)
                .orElseThrow(() -> new HostException(
                        "kubeconfig %s names no CA".formatted(path),
                        "joining nodes could not trust the cluster",
                        "restore the file, or run phase kubeconfig again"));
        return Kubeconfig.clusterInfo(new KubeconfigCluster(cluster.server(), ca));
    }
}
