package io.kjadm.core.join;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.check.JoinCheckup;
import io.kjadm.core.etcd.check.JoinProbes;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.CertificateStore;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.ControlPlaneMarker;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.KubeconfigSpec;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.PlainPhase;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.pki.CertificateMaker.CheckLevel;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.manifests.PatchTarget;
import io.kjadm.pki.CertificateSet;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** {@code join} as a list of phases, in kubeadm's order ({@code cmd/kubeadm/app/cmd/join.go}). */
public final class JoinWorkflow {

    private final Machine machine;
    private final NodeStores stores;
    private final ComponentHealth health;
    private final ClusterClients cluster;
    private final PreflightHost host;
    private final JoinProbes probes;
    private final Discoverer discoverer;

    /**
     * The join of a machine.
     *
     * @param host   what preflight looks at, real in a dry run too
     * @param probes look at etcd, its peers, clocks and the disk before anything is changed
     */
    public JoinWorkflow(
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
     * Its phases.
     *
     * @param failpoints faults on purpose, for trying out interrupted joins
     */
    public Workflow<JoinRun> real(Failpoints failpoints) {
        EtcdJoinPhase etcdJoin = new EtcdJoinPhase(machine, stores, cluster, probes, failpoints);
        List<Phase<JoinRun>> phases = new ArrayList<>();
        phases.add(new AwaitedMemberPhase(machine.files(), cluster.etcd(), etcdJoin));
        phases.addAll(phases(
                new CheckEtcdPhase(
                        cluster.etcd(),
                        new JoinCheckup(probes, machine.files(), machine.observer()),
                        machine.runtimes()),
                etcdJoin));
        return new Workflow<>("join", phases);
    }

    /**
     * Its phases in a dry run into a cluster that is assumed, whose API server is an {@link
     * AssumedCluster}: what would ask etcd only says so.
     */
    public Workflow<JoinRun> assuming() {
        return new Workflow<>(
                "join",
                phases(
                        new AssumedEtcdPhases.Check(),
                        new AssumedEtcdPhases.Join(stores.manifests())));
    }

    private List<Phase<JoinRun>> phases(Phase<JoinRun> checkEtcd, Phase<JoinRun> etcdJoin) {
        ProvidedCertificates provided = new ProvidedCertificates(machine.files());
        return List.of(
                new JoinPreflightPhase(host, discoverer, provided, probes),
                PlainPhase.group(
                        PhaseInfo.of(
                                "control-plane-prepare",
                                "Prepare the machine for serving a control plane",
                                JoinPhaseFlags.PREPARE_ALL),
                        onControlPlane(
                                new DownloadCertsPhase(
                                        cluster.kube(), machine.files(), machine.observer()),
                                certs(provided),
                                kubeconfigs(),
                                manifests())),
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
                PlainPhase.group(
                        PhaseInfo.of(
                                "control-plane-join",
                                "Join a machine as a control plane instance",
                                JoinPhaseFlags.CONTROL_PLANE_JOIN),
                        onControlPlane(markControlPlane())),
                WithDiscovery.byControlPlane(discoverer, waitControlPlane()));
    }

    @SafeVarargs
    private List<Phase<JoinRun>> onControlPlane(Phase<JoinRun>... phases) {
        return Stream.of(phases)
                .map(phase -> WithDiscovery.byControlPlane(discoverer, phase))
                .toList();
    }

    /** {@code control-plane-prepare/certs}: makes the certificates that are this node's alone. */
    private Phase<JoinRun> certs(ProvidedCertificates provided) {
        return PlainPhase.of(
                PhaseInfo.of(
                        "certs",
                        "Generate the certificates for the new control plane components",
                        JoinPhaseFlags.CERTS),
                (run, out) -> makeCertificates(run, provided, out));
    }

    private void makeCertificates(JoinRun run, ProvidedCertificates provided, Reporter out) {
        out.step(
                "certs",
                "Using certificateDir folder \"%s\"".formatted(run.paths().certificatesDir()));
        // a CA made here would be a second cluster's: kubeadm makes one if preflight was skipped
        provided.check(run.node(), out);
        run.begin();
        CertificateStore store = stores.certificates();
        boolean stacked = run.cluster().cluster().etcd() instanceof LocalEtcd;
        CertificateSet.all().stream()
                .filter(spec -> stacked || !spec.needsStackedEtcd())
                .forEach(spec -> {
                    if (run.resumed()) {
                        store.complete(run.node(), spec);
                    }
                    store.provide(run.node(), spec, CheckLevel.CHAIN_KEY_AND_NAMES);
                });
        store.provideServiceAccountKeys(run.node());
    }

    /** {@code control-plane-prepare/kubeconfig}: the kubeconfigs of administrator and components. */
    private Phase<JoinRun> kubeconfigs() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "kubeconfig",
                        "Generate the kubeconfig for the new control plane components",
                        JoinPhaseFlags.KUBECONFIG),
                (run, out) -> {
                    out.step("kubeconfig", "Generating kubeconfig files");
                    if (hasExternalCa(run)) {
                        out.step("kubeconfig", "External CA: using the kubeconfig files provided");
                        return;
                    }
                    run.begin();
                    KubeconfigSpec.JOINING_NODE.forEach(
                            spec -> stores.kubeconfigs().provide(run.node(), spec));
                });
    }

    private boolean hasExternalCa(JoinRun run) {
        return stores.certificates().isExternal(run.node(), CertificateSet.CA);
    }

    /**
     * {@code control-plane-prepare/control-plane}: the manifests of API server, controller manager
     * and scheduler. With a stacked etcd they are held back until this node's member votes: an API
     * server started earlier only fails, and is then kept waiting by the kubelet before its next try.
     */
    private Phase<JoinRun> manifests() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "control-plane",
                        "Generate the manifests for the new control plane components",
                        JoinPhaseFlags.MANIFESTS),
                this::writeManifests);
    }

    private void writeManifests(JoinRun run, Reporter out) {
        run.begin();
        ControlPlaneNode node = run.node();
        out.step(
                "control-plane",
                "Using manifest folder \"%s\"".formatted(node.paths().manifestsDir()));
        ManifestStore target = node.cluster().etcd() instanceof LocalEtcd
                ? stores.manifests().holdingBack()
                : stores.manifests();
        boolean externalCa = hasExternalCa(run);
        for (PatchTarget component : ManifestStore.COMPONENTS) {
            out.step(
                    "control-plane",
                    "Creating static Pod manifest for \"%s\"".formatted(component.fileName()));
            target.write(node, component, externalCa);
        }
    }

    /** {@code control-plane-join/mark-control-plane}: labels and taints the new node. */
    private Phase<JoinRun> markControlPlane() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "mark-control-plane",
                        "Mark a node as a control-plane",
                        JoinPhaseFlags.MARK),
                (run, out) -> new ControlPlaneMarker(machine.waiter())
                        .mark(run.node(), cluster.kube().of(run.node().paths().adminConf()), out));
    }

    /** {@code wait-control-plane}: waits until this node's own components are healthy. */
    private Phase<JoinRun> waitControlPlane() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "wait-control-plane",
                        "Wait for the control plane to start",
                        JoinPhaseFlags.NONE),
                (run, out) -> health.awaitComponents(
                        run.node(),
                        cluster.kube()
                                .of(run.node().paths().adminConf(), run.node().localEndpoint())));
    }

    /**
     * A phase of the join that needs to know the cluster, whichever phase of the run comes first. What
     * is only a control plane's is passed over by a worker.
     */
    private record WithDiscovery(
            Phase<JoinRun> phase, Discoverer discoverer, boolean controlPlaneOnly)
            implements Phase<JoinRun> {

        /** A phase of every node. */
        static Phase<JoinRun> byAll(Discoverer discoverer, Phase<JoinRun> phase) {
            return new WithDiscovery(phase, discoverer, false);
        }

        /** A phase of control-plane nodes. */
        static Phase<JoinRun> byControlPlane(Discoverer discoverer, Phase<JoinRun> phase) {
            return new WithDiscovery(phase, discoverer, true);
        }

        @Override
        public PhaseInfo info() {
            return phase.info();
        }

        @Override
        public boolean applies(JoinRun run) {
            return (run.controlPlane() || !controlPlaneOnly) && phase.applies(run);
        }

        @Override
        public JoinRun run(JoinRun run, Reporter out) {
            return phase.run(discoverer.ensure(run, out), out);
        }
    }
}
