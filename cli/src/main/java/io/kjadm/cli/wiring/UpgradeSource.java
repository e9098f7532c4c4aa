package io.kjadm.cli.wiring;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.config.UpgradeConfiguration;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.upgrade.GeneratedManifests;
import io.kjadm.core.upgrade.InstalledNode;
import io.kjadm.core.upgrade.StoredConfiguration;
import io.kjadm.core.upgrade.check.EtcdStateReader;
import io.kjadm.core.upgrade.check.NodeCertificates;
import io.kjadm.core.upgrade.check.UpgradeCheckup;
import io.kjadm.core.value.Timeouts;
import io.kjadm.etcd.Problem;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What plan and diff are made from: this node, and what its cluster has stored. */
public record UpgradeSource(Composition composition, Path kubeconfig, Timeouts timeouts) {

    /** As the flags say, and of the API server that this node's own kubeconfig names by default. */
    public static UpgradeSource of(
            Composition composition, CommandFlags flags, UpgradeConfiguration config) {
        return new UpgradeSource(
                composition,
                flags.path(Flag.KUBECONFIG).orElse(KubernetesPaths.standard().adminConf()),
                config.timeouts());
    }

    /** The configuration of a command whose first word, if it has one, is a version. */
    public static UpgradeConfiguration configuration(
            CommandFlags flags, List<String> words, Reporter out) {
        return Composition.loader(out)
                .upgrade(
                        Composition.configurationFile(flags),
                        flags,
                        words.stream().findFirst());
    }

    /** The directory with patches of the upgrade, or of its configuration file. */
    public static Optional<Path> patches(UpgradeConfiguration config) {
        return config.apply().node().patchesDirectory().or(() -> config.node().patchesDirectory());
    }

    /**
     * The configuration of the cluster.
     *
     * @throws HostException if it cannot be read, and certificates of this node have ended
     */
    public StoredConfiguration stored() {
        Ports ports = composition.ports();
        requireCredentials();
        try {
            return composition
                    .out()
                    .during(
                            "upgrade/config",
                            "Reading the configuration of the cluster",
                            () -> StoredConfiguration.read(
                                    composition.clients().of(kubeconfig),
                                    new KubeCalls(ports.observer(), timeouts.kubernetesApiCall()),
                                    Optional.empty(),
                                    composition.out()::warn));
        } catch (ClusterException e) {
            Problem ended = new NodeCertificates(ports.observed())
                    .ended(KubernetesPaths.standard(), ports.observer().now())
                    .orElseThrow(() -> e);
            throw new HostException(ended.what(), e.problem().facts(), ended.next(), e);
        }
    }

    /**
     * Asks nobody for a minute with a certificate that nobody accepts.
     *
     * @throws HostException if that of the kubeconfig has ended
     */
    public void requireCredentials() {
        Ports ports = composition.ports();
        new NodeCertificates(ports.observed())
                .ended(kubeconfig, ports.observer().now())
                .ifPresent(ended -> {
                    throw new HostException(
                            "the API server cannot be asked with " + kubeconfig,
                            ended.facts(),
                            ended.next());
                });
    }

    /** This node, which has to be one of the control plane. */
    public InstalledNode node(StoredConfiguration stored) {
        InstalledNode node = InstalledNode.look(composition.ports().observed(), stored.cluster());
        if (!node.controlPlane()) {
            throw new HostException(
                    "node %s is not of the control plane".formatted(node.name()),
                    "it has no manifest of an API server",
                    "run this on a control-plane node");
        }
        return node;
    }

    public UpgradeCheckup checkup() {
        Ports ports = composition.ports();
        return new UpgradeCheckup(
                new UpgradeCheckup.Sources(
                        ports.observed(),
                        ports.machine().runtimes(),
                        ports.probes(),
                        composition.clients(),
                        composition.etcdClients(),
                        writers(),
                        ports.observer()),
                kubeconfig,
                composition.out());
    }

    public GeneratedManifests manifests(
            StoredConfiguration stored, InstalledNode node, Optional<Path> patches) {
        return new GeneratedManifests(
                composition.ports().observed(),
                writers(),
                new GeneratedManifests.Input(
                        stored,
                        node,
                        patches,
                        Optional.of(stored.cluster().etcd())
                                .filter(LocalEtcd.class::isInstance)
                                .map(local -> etcdReader().members(node, kubeconfig)),
                        timeouts));
    }

    private EtcdStateReader etcdReader() {
        return new EtcdStateReader(
                composition.ports().observed(),
                composition.etcdClients(),
                composition.etcdCheckup(),
                composition.out());
    }

    private ManifestStore writers() {
        return composition.stores(KeyPairPool.onDemand(KeyAlgorithm.DEFAULT)).manifests();
    }
}
