package io.kjadm.core.join;

import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.Failpoints;
import io.kjadm.core.etcd.check.JoinCheckup;
import io.kjadm.core.etcd.check.JoinProbes;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Services;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.node.CertificateStore;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.ControlPlaneMarker;
import io.kjadm.core.node.HealthProbe;
import io.kjadm.core.node.KubeconfigStore;
import io.kjadm.core.node.KubeletFileStore;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseGroup;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.preflight.PreflightHost;
import io.kjadm.etcd.EtcdConnector;

import java.util.List;
import java.util.function.Consumer;

/** {@code join} as a list of phases, in kubeadm's order ({@code cmd/kubeadm/app/cmd/join.go}). */
public final class JoinWorkflow {

    private JoinWorkflow() {}

    /**
     * What the phases work with.
     *
     * @param failpoints faults on purpose, for trying out interrupted joins
     * @param observer waits for what can only be read; real in a dry run too, which goes on with
     *         the answer
     * @param probes   look at etcd, its peers, clocks and the disk before anything is changed
     */
    public record Tools(
            HostFiles files,
            Services services,
            Waiter waiter,
            Waiter observer,
            CertificateStore certificates,
            KubeconfigStore kubeconfigs,
            ManifestStore manifests,
            KubeletFileStore kubeletFiles,
            ComponentHealth health,
            HealthProbe probe,
            KubeClients clients,
            EtcdConnector etcd,
            LeaseLocks locks,
            PreflightHost host,
            JoinProbes probes,
            Consumer<String> findings,
            Failpoints failpoints) {}

    /** The phases, wired. */
    public static Workflow<JoinRun> of(Tools tools) {
        Discoverer discoverer = new Discoverer(tools.files(), tools.clients(), tools.observer());
        ProvidedCertificates provided = new ProvidedCertificates(tools.files());
        EtcdClients etcd =
                new EtcdClients(tools.files(), tools.clients(), tools.etcd(), tools.observer());
        EtcdJoinPhase etcdJoin = new EtcdJoinPhase(tools, etcd);
        return new Workflow<>(
                "join",
                List.of(
                        new AwaitedMemberPhase(tools.files(), etcd, etcdJoin),
                        new JoinPreflightPhase(
                                tools.host(),
                                tools.findings(),
                                discoverer,
                                provided,
                                tools.probes()),
                        PhaseGroup.of(
                                PhaseInfo.of(
                                        "control-plane-prepare",
                                        "Prepare the machine for serving a control plane",
                                        JoinPhaseFlags.PREPARE_ALL),
                                onControlPlane(
                                        discoverer,
                                        List.of(
                                                new DownloadCertsPhase(
                                                        tools.clients(),
                                                        tools.files(),
                                                        tools.observer()),
                                                new JoinCertsPhase(tools.certificates(), provided),
                                                new JoinKubeconfigPhase(
                                                        tools.certificates(), tools.kubeconfigs()),
                                                new JoinManifestsPhase(
                                                        tools.certificates(), tools.manifests())))),
                        WithDiscovery.byControlPlane(
                                discoverer,
                                new CheckEtcdPhase(
                                        etcd,
                                        new JoinCheckup(
                                                tools.probes(), tools.files(), tools.observer()),
                                        tools.host().runtimes(),
                                        tools.findings())),
                        WithDiscovery.byAll(
                                discoverer,
                                new JoinKubeletStartPhase(
                                        tools.clients(),
                                        tools.kubeletFiles(),
                                        tools.files(),
                                        tools.services(),
                                        tools.waiter())),
                        WithDiscovery.byControlPlane(discoverer, etcdJoin),
                        WithDiscovery.byAll(
                                discoverer,
                                new KubeletWaitBootstrapPhase(
                                        tools.health(),
                                        tools.kubeletFiles(),
                                        tools.clients(),
                                        tools.files(),
                                        tools.services(),
                                        tools.waiter())),
                        PhaseGroup.of(
                                PhaseInfo.of(
                                        "control-plane-join",
                                        "Join a machine as a control plane instance",
                                        JoinPhaseFlags.CONTROL_PLANE_JOIN),
                                onControlPlane(
                                        discoverer,
                                        List.of(new JoinMarkPhase(
                                                new ControlPlaneMarker(tools.waiter()),
                                                tools.clients())))),
                        WithDiscovery.byControlPlane(
                                discoverer, new JoinWaitPhase(tools.health(), tools.clients()))));
    }

    private static List<Phase<JoinRun>> onControlPlane(
            Discoverer discoverer, List<Phase<JoinRun>> phases) {
        return phases.stream()
                .map(phase -> WithDiscovery.byControlPlane(discoverer, phase))
                .toList();
    }
}
