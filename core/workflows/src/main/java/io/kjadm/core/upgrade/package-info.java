/**
 * From one version of Kubernetes to the next: what stands in the way, what will change, and how what
 * was changed on a node goes back. The rules judge facts and ask nobody: read {@link
 * io.kjadm.core.upgrade.VersionPolicy} first, then {@link io.kjadm.core.etcd.version.NodeChanges}. The
 * run is {@link io.kjadm.core.upgrade.UpgradeWorkflow}; its heart are {@code
 * ControlPlaneUpgradePhase}, {@code EtcdUpgrade} and {@code StaticPodExchange}.
 */
package io.kjadm.core.upgrade;
