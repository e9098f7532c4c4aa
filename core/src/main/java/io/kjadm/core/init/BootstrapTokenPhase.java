package io.kjadm.core.init;

import io.kjadm.core.config.BootstrapToken;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeAccesses;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.token.BootstrapTokens;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigCluster;
import io.kjadm.manifests.RbacObjects;

import java.nio.file.Path;
import java.util.List;

/**
 * {@code bootstrap-token}: the credentials new nodes join with, what these may do, and
 * {@code cluster-info}, by which a node that knows nothing but a token finds and trusts the
 * cluster.
 */
final class BootstrapTokenPhase implements Phase<InitRun> {

    private static final String AREA = "bootstrap-token";

    private final HostFiles files;
    private final AdminObjectWriter writes;

    BootstrapTokenPhase(HostFiles files, AdminObjectWriter writes) {
        this.files = files;
        this.writes = writes;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                        "bootstrap-token",
                        "Generates bootstrap tokens used to join a node to a cluster",
                        InitPhaseFlags.BOOTSTRAP_TOKEN)
                .alias("bootstraptoken");
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        List<BootstrapToken> tokens = run.config().bootstrapTokens();
        if (!run.options().skipTokenPrint()) {
            List<String> texts = tokens.stream().map(BootstrapToken::token).toList();
            out.step(
                    AREA,
                    texts.size() == 1
                            ? "Using token: " + texts.getFirst()
                            : "Using tokens: [%s]".formatted(String.join(" ", texts)));
        }
        out.step(AREA, "Configuring bootstrap tokens, cluster-info ConfigMap, RBAC Roles");
        writes.apply(
                run,
                AREA,
                tokens.stream()
                        .map(token ->
                                BootstrapTokens.secret(token, writes.now()).toSecret())
                        .toList(),
                out);
        writes.apply(run, AREA, RbacObjects.bootstrapTokens(), out);
        out.step(
                AREA,
                "Configured RBAC rules to allow nodes to post CSRs and to have them approved and rotated");
        out.step(
                AREA,
                "Creating the \"%s\" ConfigMap in the \"kube-public\" namespace"
                        .formatted(ConfigurationMaps.CLUSTER_INFO));
        writes.apply(run, AREA, List.of(ConfigurationMaps.clusterInfo(clusterInfo(run))), out);
        writes.apply(run, AREA, RbacObjects.clusterInfo(), out);
        return run;
    }

    /** Server and CA as the file on disk has them: the stable endpoint, not this node's. */
    private Kubeconfig clusterInfo(InitRun run) {
        Path path = run.options().kubeconfig();
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
