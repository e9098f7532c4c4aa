package io.kjadm.core.upgrade;

import io.kjadm.core.config.ApiEndpoint;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.KubeletConfig;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.config.UpgradeConfiguration;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints.Fuse;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.core.value.Timeouts;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import java.util.Map;
import java.util.Optional;

/** The phase of an upgrade that gives the components their version, for the simulation. */
public record UpgradeOfAMember(Machine machine, ClusterClients clients, Reporter out) {

    private static final String SOCKET = "unix:///run/c.sock";
    private static final KubeletConfig KUBELET = new KubeletConfig(Map.of(), false);

    /**
     * Upgrades the control plane of a machine; throws what the phase throws.
     *
     * @param name of the node
     * @param address of its API server
     * @param from version of Kubernetes
     * @param to version of Kubernetes
     * @param etcd version of etcd that is wanted
     */
    public void run(String name, String address, String from, String to, String etcd) {
        KubernetesPaths paths = KubernetesPaths.standard();
        ClusterConfiguration cluster = ClusterConfiguration.defaults()
                .withKubernetesVersion(to, false)
                .withEtcd(LocalEtcd.DEFAULTS.withImageTag(Optional.of(etcd + "-0")));
        InstalledNode node = new InstalledNode(
                name,
                SOCKET,
                Optional.of(new ApiEndpoint(address, ApiEndpoint.DEFAULT_PORT)),
                LocalEtcdState.look(
                        machine.files(),
                        paths,
                        component -> machine.files().read(paths.manifest(component)),
                        Optional.of(cluster.configuredEtcd())),
                false,
                paths);
        UpgradeRun run = new UpgradeRun(
                new UpgradeRun.Order(
                        true,
                        UpgradeConfiguration.defaults().apply().node(),
                        false,
                        Timeouts.DEFAULTS),
                paths.adminConf(),
                node,
                new StoredConfiguration(cluster, KUBELET, Optional.empty(), false),
                KubernetesVersion.parse(from).orElseThrow(),
                machine.waiter().now(),
                new ChangesOfRun(
                        machine.files(),
                        paths,
                        from,
                        to,
                        machine.waiter().now(),
                        Fuse.none(),
                        out));
        NodeStores stores = NodeStores.on(
                machine, KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256), name, Map.of(), out);
        new ControlPlaneUpgradePhase(machine, stores.manifests(), clients).run(run, out);
        run.changes().end(machine.waiter().now());
    }
}
