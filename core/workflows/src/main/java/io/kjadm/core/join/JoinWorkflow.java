package io.kjadm.core.join;

import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.check.JoinCheckup;
import io.kjadm.core.etcd.check.JoinProbes;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.ControlPlaneMarker;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseGroup;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.preflight.machine.PreflightHost;

import java.util.ArrayList;
import java.util.List;

/** {@code join} as a list of phases, in kubeadm's order ({@code cmd/kubeadm/app/cmd/join.go}). */
public final class JoinWorkflow {

    private final Machine machine;
    private final NodeStores stores;
    private final ComponentHealth health;
    private final ClusterClients cluster;
    private final PreflightHost host;
    private final JoinProbes probes;
    private final Discoverer discoverer;

    private JoinWorkflow(
            Machine machine,
            NodeStores stores,
            ComponentHealth health,
            ClusterClients cluster,
            PreflightHost host,
            JoinProbes probes) {
        this.machine = machine;
        this.stores = stores;
        this.health = health;
        this.cluster = cluster;
        this.host = host;
        this.probes = probes;
        this.discoverer = new Discoverer(machine.files(), cluster.kube(), machine.observer());
    }

    /**
     * The phases, wired.
     *
     * @param host       what preflight looks at, real in a dry run too
     * @param probes     look at etcd, its peers, clocks and the disk before anything is changed
     * @param failpoints faults on purpose, for trying out interrupted joins
     */
    public static Workflow<JoinRun> of(
            Machine machine,
            NodeStores stores,
            ComponentHealth health,
            ClusterClients cluster,
            PreflightHost host,
            JoinProbes probes,
            Failpoints failpoints) {
        EtcdJoinPhase etcdJoin = new EtcdJoinPhase(machine, stores, cluster, probes, failpoints);
        List<Phase<JoinRun>> phases = new ArrayList<>();
        phases.add(new AwaitedMemberPhase(machine.files(), cluster.etcd(), etcdJoin));
        phases.addAll(new JoinWorkflow(machine, stores, health, cluster, host, probes)
                .phases(
                        new CheckEtcdPhase(
                                cluster.etcd(),
                                new JoinCheckup(probes, machine.files(), machine.observer()),
                                machine.runtimes()),
                        etcdJoin));
        return new Workflow<>("join", phases);
    }

    /**
     * The phases of a dry run into a cluster that is assumed: what would ask etcd only says so.
     *
     * @param cluster whose API server is an {@link AssumedCluster}
     */
    public static Workflow<JoinRun> assuming(
            Machine machine,
            NodeStores stores,
            ComponentHealth health,
            ClusterClients cluster,
            PreflightHost host,
            JoinProbes probes) {
        return new Workflow<>(
                "join",
                new JoinWorkflow(machine, stores, health, cluster, host, probes)
                        .phases(
                                new AssumedEtcdPhases.Check(),
                                new AssumedEtcdPhases.Join(stores.manifests())));
    }

    private List<Phase<JoinRun>> phases(Phase<JoinRun> checkEtcd, Phase<JoinRun> etcdJoin) {
        ProvidedCertificates provided = new ProvidedCertificates(machine.files());
        return List.of(
                new JoinPreflightPhase(host, discoverer, provided, probes),
                PhaseGroup.of(
                        PhaseInfo.of(
                                "control-plane-prepare",
                                "Prepare the machine for serving a control plane",
                                JoinPhaseFlags.PREPARE_ALL),
                        onControlPlane(
                                discoverer,
                                List.of(
                                        new DownloadCertsPhase(
                                                cluster.kube(),
                                                machine.files(),
                                                machine.observer()),
                                        new JoinCertsPhase(stores.certificates(), provided),
                                        new JoinKubeconfigPhase(
                                                stores.certificates(), stores.kubeconfigs()),
                                        new JoinManifestsPhase(
                                                stores.certificates(), stores.manifests())))),
                WithDiscovery.byControlPlane(discoverer, checkEtcd),
                WithDiscovery.byAll(
                        discoverer,
                        new JoinKubeletStartPhase(
                                cluster.kube(),
                                stores.kubeletFiles(),
                                machine.files(),
                                machine.services(),
                                machine.waiter())),
                WithDiscovery.byControlPlane(discoverer, etcdJoin),
                WithDiscovery.byAll(
                        discoverer,
                        new KubeletWaitBootstrapPhase(
                                health,
                                stores.kubeletFiles(),
                                cluster.kube(),
                                machine.files(),
                                machine.services(),
                                machine.waiter())),
                PhaseGroup.of(
                        PhaseInfo.of(
                                "control-plane-join",
                                "Join a machine as a control plane instance",
                                JoinPhaseFlags.CONTROL_PLANE_JOIN),
                        onControlPlane(
                                discoverer,
                                List.of(new JoinMarkPhase(
                                        new ControlPlaneMarker(machine.waiter()),
                                        cluster.kube())))),
                WithDiscovery.byControlPlane(
                        discoverer, new JoinWaitPhase(health, cluster.kube())));
    }

    private static List<Phase<JoinRun>> onControlPlane(
            Discoverer discoverer, List<Phase<JoinRun>> phases) {
        return phases.stream()
                .map(phase -> WithDiscovery.byControlPlane(discoverer, phase))
                .toList();
    }
}
