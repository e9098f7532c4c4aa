package io.kjadm.core.upgrade.check;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.check.JoinProbes;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.upgrade.ComponentSettings;
import io.kjadm.core.upgrade.GeneratedManifests;
import io.kjadm.core.upgrade.InstalledNode;
import io.kjadm.core.upgrade.StoredConfiguration;
import io.kjadm.core.upgrade.VersionPolicy;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.core.value.Timeouts;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.KubeletFiles;
import io.kjadm.manifests.KubernetesReleases;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Gathers what an upgrade has to know: of the cluster, of its etcd and of this node. Changes
 * nothing. A member of etcd that is silent costs 5 s, and so does a Lease that is not renewed.
 */
public final class UpgradeCheckup {

    private final Sources sources;
    private final Path kubeconfig;
    private final Reporter out;

    /**
     * Whom it asks.
     *
     * @param waiter waits for real even in a dry run
     */
    public record Sources(
            HostFiles files,
            RuntimeConnector runtimes,
            JoinProbes probes,
            KubeClients kube,
            EtcdClients etcd,
            ManifestStore manifests,
            Waiter waiter) {}

    /** @param kubeconfig of somebody who may read what is in the cluster; on a worker its own */
    public UpgradeCheckup(Sources sources, Path kubeconfig, Reporter out) {
        this.sources = sources;
        this.kubeconfig = kubeconfig;
        this.out = out;
    }

    /** @param next the cluster as it will be */
    private record Upgrade(
            StoredConfiguration stored,
            InstalledNode node,
            UpgradeGoal goal,
            ClusterConfiguration next) {

        boolean withEtcd() {
            return goal.etcd() && node.controlPlane() && next.etcd() instanceof LocalEtcd;
        }
    }

    /**
     * All facts. What cannot be asked of a single component becomes a fact, too.
     *
     * @param stored the cluster's configuration, for whichever version
     * @throws ClusterException if the API server does not answer, or refuses
     */
    public UpgradeFacts gather(StoredConfiguration stored, InstalledNode node, UpgradeGoal goal) {
        var upgrade = new Upgrade(stored, node, goal, stored.at(goal.target().text()));
        ClusterStateReader reader = clusterReader(goal.timeouts());
        Optional<ClusterState> cluster =
                node.controlPlane() ? Optional.of(reader.read(upgrade.next())) : Optional.empty();
        Optional<EtcdState> etcd = upgrade.withEtcd()
                ? Optional.of(etcdReader().read(node, kubeconfig, upgrade.next()))
                : Optional.empty();
        return new UpgradeFacts(
                new VersionPolicy.Facts(
                        goal.target(),
                        reader.version(),
                        KubernetesReleases.KNOWN,
                        Optional.of(cluster.map(UpgradeCheckup::kubelets).orElse(Map.of())),
                        goal.allowed()),
                cluster,
                node.controlPlane() ? controlPlane(upgrade, etcd) : worker(upgrade),
                etcd,
                sources.waiter().now());
    }

    /**
     * The version that the cluster has: that of its newest API server.
     *
     * @throws ClusterException if the API server does not answer, or does not tell
     */
    public KubernetesVersion clusterVersion(Timeouts timeouts) {
        ClusterStateReader reader = clusterReader(timeouts);
        return reader.newestApiServer()
                .or(reader::version)
                .orElseThrow(() -> new ClusterException(
                        "the version of the cluster is not known",
                        "neither its API servers nor their pods report it",
                        "check that the API server runs, then try again"));
    }

    private ClusterStateReader clusterReader(Timeouts timeouts) {
        return new ClusterStateReader(
                sources.kube().of(kubeconfig),
                server -> sources.kube().of(kubeconfig, server),
                new KubeCalls(sources.waiter(), timeouts.kubernetesApiCall()),
                sources.waiter());
    }

    private EtcdStateReader etcdReader() {
        return new EtcdStateReader(
                sources.files(),
                sources.etcd(),
                new EtcdCheckup(sources.probes().etcd(), sources.waiter()),
                out);
    }

    private NodeState controlPlane(Upgrade upgrade, Optional<EtcdState> etcd) {
        InstalledNode node = upgrade.node();
        NodeReader reader = new NodeReader(sources.runtimes(), sources.probes().disk());
        return new NodeState(
                reader.manifests(manifests(upgrade, etcd), upgrade.goal().target()),
                new NodeCertificates(sources.files()).read(node.paths()),
                reader.disks(node),
                reader.images(node, images(upgrade, etcd)),
                arguments(upgrade));
    }

    /** With that of the patch release which members of etcd get first. */
    private static List<String> images(Upgrade upgrade, Optional<EtcdState> etcd) {
        return Stream.concat(
                        Images.all(upgrade.next()).stream(),
                        EtcdState.patch(etcd).map(patch -> patch.image(upgrade.next())).stream())
                .toList();
    }

    private Map<String, List<Argument>> arguments(Upgrade upgrade) {
        StoredConfiguration stored = upgrade.stored();
        return ComponentSettings.of(
                stored.cluster(),
                stored.kubelet(),
                stored.kubeProxy(),
                // an upgrade keeps this file
                KubeletFiles.parseFlags(sources.files()
                        .read(upgrade.node().paths().kubeletFlags())
                        .orElse("")));
    }

    /** No certificate of a worker is this program's to look after, and no static pod. */
    private NodeState worker(Upgrade upgrade) {
        return new NodeState(
                Map.of(),
                List.of(),
                List.of(),
                new NodeState.Images(List.of(), Optional.empty()),
                arguments(upgrade));
    }

    private GeneratedManifests manifests(Upgrade upgrade, Optional<EtcdState> etcd) {
        return new GeneratedManifests(
                sources.files(),
                sources.manifests(),
                new GeneratedManifests.Input(
                        upgrade.stored(),
                        upgrade.node(),
                        upgrade.goal().patches(),
                        etcd.map(found -> etcdReader().members(upgrade.node(), found)),
                        upgrade.goal().timeouts()));
    }

    private static Map<String, String> kubelets(ClusterState cluster) {
        Map<String, String> kubelets = new TreeMap<>();
        cluster.nodes().forEach(node -> kubelets.put(node.name(), node.kubelet()));
        return kubelets;
    }
}
