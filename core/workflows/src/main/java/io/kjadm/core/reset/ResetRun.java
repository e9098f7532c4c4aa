package io.kjadm.core.reset;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.ResetConfiguration;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.leave.EtcdOutcome;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.Problem;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What is known during one {@code reset}.
 *
 * @param config     its configuration
 * @param paths      where things are; the certificates directory is the operator's choice
 * @param kubeconfig the file the cluster is asked with
 * @param criSocket  of the node's container runtime
 * @param cluster    the cluster's configuration, if it could be read
 * @param etcd       the node's etcd, as its files tell
 * @param outcome    what became of it, once that is known
 */
public record ResetRun(
        ResetConfiguration config,
        KubernetesPaths paths,
        Path kubeconfig,
        String criSocket,
        Optional<ClusterConfiguration> cluster,
        LocalEtcdState etcd,
        Optional<EtcdOutcome> outcome) {

    /** The kubeconfig whose API server is known to answer. */
    Optional<Path> answering() {
        return cluster.map(known -> kubeconfig);
    }

    /** The same, knowing what became of etcd. */
    public ResetRun with(EtcdOutcome known) {
        return new ResetRun(
                config, paths, kubeconfig, criSocket, cluster, etcd, Optional.of(known));
    }

    /**
     * Ends a run that did all it could.
     *
     * @throws ClusterException if the etcd member may still be listed, so that scripts notice
     */
    public void conclude() {
        outcome.ifPresent(known -> {
            if (known instanceof EtcdOutcome.Kept(Problem problem)) {
                throw new ClusterException(problem);
            }
        });
    }
}
