package io.kjadm.core.init;

import io.kjadm.core.cluster.JoinCredentials;
import io.kjadm.core.config.BootstrapToken;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.ConfigurationMaps;

import java.util.List;

/**
 * {@code bootstrap-token}: the credentials new nodes join with, what these may do, and
 * {@code cluster-info}, by which a node that knows nothing but a token finds and trusts the
 * cluster.
 */
record BootstrapTokenPhase(HostFiles files, AdminWriters writes) implements Phase<InitRun> {

    private static final String AREA = "bootstrap-token";

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
            out.credentials("[%s] %s"
                    .formatted(
                            AREA,
                            texts.size() == 1
                                    ? "Using token: " + texts.getFirst()
                                    : "Using tokens: [%s]".formatted(String.join(" ", texts))));
        }
        out.step(AREA, "Configuring bootstrap tokens, cluster-info ConfigMap, RBAC Roles");
        JoinCredentials.tokens(tokens, writes.of(run, AREA, out));
        out.step(
                AREA,
                "Configured RBAC rules to allow nodes to post CSRs and to have them approved and rotated");
        out.step(
                AREA,
                "Creating the \"%s\" ConfigMap in the \"kube-public\" namespace"
                        .formatted(ConfigurationMaps.CLUSTER_INFO));
        JoinCredentials.clusterInfo(run.options().kubeconfig(), files, writes.of(run, AREA, out));
        return run;
    }
}
