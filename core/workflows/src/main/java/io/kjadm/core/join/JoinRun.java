package io.kjadm.core.join;

import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.config.JoinControlPlane;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.Services;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.KubeletFileStore;
import io.kjadm.core.node.ResolvConf;

import java.time.Instant;
import java.util.Optional;

/**
 * What is known during one {@code join}.
 *
 * @param config     its configuration
 * @param options    what only flags say
 * @param startedAt  one moment for all certificates of the run
 * @param discovered the cluster, once it was asked
 * @param unfinished remembers the join until it has ended
 * @param resumed    whether an earlier run of this join was cut short: what is there is its work
 */
public record JoinRun(
        JoinConfiguration config,
        JoinOptions options,
        Instant startedAt,
        Optional<DiscoveredCluster> discovered,
        UnfinishedJoin unfinished,
        boolean resumed) {

    /**
     * A run that begins, or goes on where an earlier one was cut short.
     *
     * @throws io.kjadm.core.error.UsageException if that one was another join
     */
    public static JoinRun start(
            JoinConfiguration config,
            JoinOptions options,
            Instant startedAt,
            UnfinishedJoin unfinished) {
        return new JoinRun(
                config,
                options,
                startedAt,
                Optional.empty(),
                unfinished,
                unfinished.isResumedBy(config));
    }

    /** Whether this node is to be one of the control plane. */
    public boolean controlPlane() {
        return config.controlPlane().isPresent();
    }

    /** The cluster; phases that use it make sure first that it was asked. */
    public DiscoveredCluster cluster() {
        return discovered.orElseThrow(
                () -> new IllegalStateException("the cluster was not asked yet"));
    }

    /** The same, knowing the cluster. */
    public JoinRun with(DiscoveredCluster cluster) {
        return new JoinRun(config, options, startedAt, Optional.of(cluster), unfinished, resumed);
    }

    /** Phases call this before the first thing they change: it is noted that the join has begun. */
    void begin() {
        unfinished.begin(this);
    }

    /** Where things are on this node. */
    public KubernetesPaths paths() {
        return discovered
                .map(found -> KubernetesPaths.withCertificates(found.cluster().certificatesDir()))
                .orElseGet(KubernetesPaths::standard);
    }

    /** The control-plane node this is to become. */
    public ControlPlaneNode node() {
        JoinControlPlane part = config.controlPlane()
                .orElseThrow(() -> new IllegalStateException("a worker has no control-plane part"));
        KubernetesPaths paths = paths();
        return new ControlPlaneNode(
                config.nodeRegistration(),
                part.localApiEndpoint(),
                cluster().cluster(),
                cluster().kubelet(),
                ControlPlaneNode.Places.of(paths, config.patchesDirectory()),
                config.timeouts(),
                startedAt);
    }

    /** What this node's kubelet files are made from. */
    KubeletFileStore.Input kubeletInput(Services services) {
        return new KubeletFileStore.Input(
                config.nodeRegistration(),
                ResolvConf.applied(cluster().kubelet(), services),
                config.patchesDirectory(),
                paths(),
                controlPlane());
    }
}
