package io.kjadm.core.upgrade;

import io.kjadm.core.check.Check;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import java.util.List;
import java.util.function.Function;

/**
 * {@code upgrade apply} and {@code upgrade node} as lists of phases, in kubeadm's order
 * ({@code cmd/kubeadm/app/cmd/upgrade}).
 */
public final class UpgradeWorkflow {

    private final Machine machine;
    private final NodeStores stores;
    private final ComponentHealth health;
    private final ClusterClients cluster;
    private final Function<KeyAlgorithm, KeyPairPool> keys;
    private final UpgradePreflightPhase preflight;
    private final EtcdPatchStep etcdPatch;
    private final SharedParts shared;

    /**
     * What is asked before anything is changed.
     *
     * @param host   what preflight looks at, real in a dry run too
     * @param etcd   looks at all members of etcd
     * @param checks of the cluster and of this node's control plane, for a run
     */
    public record Before(
            PreflightHost host,
            EtcdCheckup etcd,
            Function<UpgradeRun, List<Check>> checks,
            Confirmation confirmation) {}

    /** @param keys for new certificates, by their kind */
    public UpgradeWorkflow(
            Machine machine,
            NodeStores stores,
            ComponentHealth health,
            ClusterClients cluster,
            Before before,
            Function<KeyAlgorithm, KeyPairPool> keys) {
        this.machine = machine;
        this.stores = stores;
        this.health = health;
        this.cluster = cluster;
        this.keys = keys;
        this.etcdPatch = new EtcdPatchStep(machine, cluster, before.etcd(), before.host());
        this.preflight = new UpgradePreflightPhase(
                before.host(), before.checks(), before.confirmation(), etcdPatch);
        this.shared = new SharedParts(cluster.kube(), stores, machine.files(), machine.waiter());
    }

    /** For the first control-plane node. */
    public Workflow<UpgradeRun> apply() {
        return new Workflow<>(
                "apply",
                List.of(
                        preflight,
                        controlPlane(),
                        shared.uploadConfig(),
                        localKubelet(),
                        kubeletConfig(),
                        certs(),
                        shared.bootstrapToken(),
                        shared.addon(),
                        new PostUpgradePhase()));
    }

    /** For every other node. */
    public Workflow<UpgradeRun> node() {
        return new Workflow<>(
                "node",
                List.of(
                        preflight,
                        controlPlane(),
                        localKubelet(),
                        kubeletConfig(),
                        certs(),
                        shared.addon(),
                        new PostUpgradePhase()));
    }

    private Phase<UpgradeRun> controlPlane() {
        return etcdPatch.before(new ControlPlaneUpgradePhase(machine, stores.manifests(), cluster));
    }

    private Phase<UpgradeRun> certs() {
        return new RenewalPhase(machine, cluster, keys);
    }

    private Phase<UpgradeRun> kubeletConfig() {
        return new KubeletConfigPhase(machine, stores.kubeletFiles(), cluster.kube(), kubelet());
    }

    private Phase<UpgradeRun> localKubelet() {
        return new LocalKubeletPhase(machine, kubelet());
    }

    private KubeletRestart kubelet() {
        return new KubeletRestart(machine, stores.kubeletFiles(), health);
    }

    /** {@code post-upgrade}: nothing is left to be done for the versions that are served. */
    private static final class PostUpgradePhase implements Phase<UpgradeRun> {

        @Override
        public PhaseInfo info() {
            return PhaseInfo.of(
                    "post-upgrade",
                    "Run post upgrade tasks",
                    Flag.CONFIG,
                    Flag.KUBECONFIG,
                    Flag.DRY_RUN);
        }

        @Override
        public UpgradeRun run(UpgradeRun run, Reporter out) {
            return run;
        }
    }
}
