package io.kjadm.core.upgrade;

import io.kjadm.core.config.UpgradeConfiguration.NodeUpgrade;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.KubeletFileStore;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.core.value.Timeouts;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * What is known during one {@code upgrade apply} or {@code upgrade node}.
 *
 * @param order      what the operator chose
 * @param kubeconfig to talk to the cluster with
 * @param installed  what this node is
 * @param stored     how the cluster is to be, with the version that is wanted
 * @param from       the version that the cluster's API server told before
 * @param startedAt  one moment for all certificates of the run
 * @param changes    what this run changes on the node
 */
public record UpgradeRun(
        Order order,
        Path kubeconfig,
        InstalledNode installed,
        StoredConfiguration stored,
        KubernetesVersion from,
        Instant startedAt,
        ChangesOfRun changes) {

    /**
     * What the operator chose.
     *
     * @param first    whether it is {@code apply}, which upgrades what all nodes share, too
     * @param force    whether findings that may be skipped are
     * @param timeouts limits of waits
     */
    public record Order(boolean first, NodeUpgrade settings, boolean force, Timeouts timeouts) {}

    /** What the operator chose for this node. */
    public NodeUpgrade settings() {
        return order.settings;
    }

    /** Limits of waits. */
    public Timeouts timeouts() {
        return order.timeouts;
    }

    /** The version that is wanted. */
    public KubernetesVersion target() {
        return stored.cluster().version();
    }

    /** Whether the operator wants to go on in spite of a finding that may be skipped. */
    boolean skips(String checkName) {
        return order.force
                || settings().ignorePreflightErrors().stream()
                        .anyMatch(name ->
                                name.equalsIgnoreCase(checkName) || name.equalsIgnoreCase("all"));
    }

    /** The same with patches. */
    UpgradeRun withPatches(Path directory) {
        return new UpgradeRun(
                new Order(
                        order.first,
                        order.settings.withPatches(directory),
                        order.force,
                        order.timeouts),
                kubeconfig,
                installed,
                stored,
                from,
                startedAt,
                changes);
    }

    /** Whether this node has a control plane. */
    public boolean controlPlane() {
        return installed.controlPlane();
    }

    /**
     * The control-plane node that this one becomes.
     *
     * @throws IllegalStateException on a worker
     */
    public ControlPlaneNode node() {
        return new ControlPlaneNode(
                installed.registration(),
                installed.endpoint().orElseThrow(() -> new IllegalStateException("it is a worker")),
                stored.cluster(),
                stored.kubelet(),
                ControlPlaneNode.Places.of(installed.paths(), settings().patchesDirectory()),
                timeouts(),
                startedAt);
    }

    /** What this node's kubelet files are made from. */
    KubeletFileStore.Input kubeletInput(Optional<Path> patches) {
        return new KubeletFileStore.Input(
                installed.registration(),
                stored.kubelet(),
                patches,
                installed.paths(),
                controlPlane());
    }
}
