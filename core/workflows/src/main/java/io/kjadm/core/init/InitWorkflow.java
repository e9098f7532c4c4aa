package io.kjadm.core.init;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.ClusterAdminClient;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.KubeconfigSpec;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.PlainPhase;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.manifests.PatchTarget;
import io.kjadm.pki.CertificateSet;

import java.util.ArrayList;
import java.util.List;

/** {@code init} as a list of phases, in kubeadm's order ({@code cmd/kubeadm/app/cmd/init.go}). */
public final class InitWorkflow {

    private InitWorkflow() {}

    /**
     * The phases, wired.
     *
     * @param host what preflight looks at, real in a dry run too
     */
    public static Workflow<InitRun> of(
            Machine machine,
            NodeStores stores,
            ComponentHealth health,
            KubeClients clients,
            PreflightHost host) {
        ClusterAdminClient admin = new ClusterAdminClient(clients, machine.waiter());
        AdminWriters writes = new AdminWriters(admin, machine.waiter());
        InitPhases phases = new InitPhases(machine, stores, health, clients, host, admin, writes);
        return new Workflow<>(
                "init",
                List.of(
                        phases.preflight(),
                        certs(machine.files(), phases),
                        kubeconfig(phases),
                        PlainPhase.group(
                                PhaseInfo.of(
                                        "etcd", "Generate static Pod manifest file for local etcd"),
                                List.of(phases.etcd())),
                        controlPlane(phases),
                        phases.kubeletStart(),
                        phases.waitControlPlane(),
                        PlainPhase.group(
                                PhaseInfo.of(
                                                "upload-config",
                                                "Upload the kubeadm and kubelet configuration to a ConfigMap",
                                                InitPhaseFlags.UPLOAD_CONFIG)
                                        .alias("uploadconfig"),
                                List.of(
                                        phases.uploadClusterConfiguration(),
                                        phases.uploadKubeletConfiguration())),
                        new UploadCertsPhase(machine.files(), writes),
                        phases.markControlPlane(),
                        new BootstrapTokenPhase(machine.files(), writes),
                        PlainPhase.group(
                                PhaseInfo.of(
                                        "kubelet-finalize",
                                        "Updates settings relevant to the kubelet after TLS bootstrap",
                                        InitPhaseFlags.KUBELET_FINALIZE),
                                List.of(new EnableCertificateRotationPhase(
                                        machine.files(), machine.services()))),
                        PlainPhase.group(
                                PhaseInfo.of(
                                        "addon",
                                        "Install required addons for passing conformance tests",
                                        InitPhaseFlags.ADDONS),
                                List.of(phases.coreDns(), phases.kubeProxy())),
                        new ShowJoinCommandPhase(clients)));
    }

    private static Phase<InitRun> certs(HostFiles files, InitPhases phases) {
        List<Phase<InitRun>> children = new ArrayList<>();
        CertificateSet.all().forEach(spec -> children.add(phases.certificate(spec)));
        children.add(phases.serviceAccountKeys());
        return PlainPhase.group(
                PhaseInfo.of(
                        "certs", "Certificate generation", InitPhaseFlags.API_SERVER_CERTIFICATE),
                (run, out) -> {
                    out.step(
                            "certs",
                            "Using certificateDir folder \"%s\""
                                    .formatted(run.node().paths().certificatesDir()));
                    run.options().externalEtcd().ifPresent(etcd -> {
                        etcd.install(files, run.node().paths());
                        out.step("certs", "Using the client certificate of the external etcd");
                    });
                },
                children);
    }

    private static Phase<InitRun> kubeconfig(InitPhases phases) {
        return PlainPhase.group(
                PhaseInfo.of(
                        "kubeconfig",
                        "Generate all kubeconfig files necessary to establish the control plane and the admin kubeconfig file",
                        InitPhaseFlags.KUBELET_KUBECONFIG),
                (run, out) -> out.step(
                        "kubeconfig",
                        "Using kubeconfig folder \"%s\""
                                .formatted(run.node().places().kubeconfigDir())),
                KubeconfigSpec.FIRST_NODE.stream().map(phases::kubeconfig).toList());
    }

    private static Phase<InitRun> controlPlane(InitPhases phases) {
        return PlainPhase.group(
                PhaseInfo.of(
                        "control-plane",
                        "Generate all static Pod manifest files necessary to establish the control plane",
                        InitPhaseFlags.ALL_MANIFESTS),
                (run, out) -> out.step(
                        "control-plane",
                        "Using manifest folder \"%s\""
                                .formatted(run.node().paths().manifestsDir())),
                List.of(
                        phases.component(
                                PhaseInfo.of(
                                        "apiserver",
                                        "Generates the kube-apiserver static Pod manifest",
                                        InitPhaseFlags.API_SERVER),
                                PatchTarget.KUBE_APISERVER),
                        phases.component(
                                PhaseInfo.of(
                                        "controller-manager",
                                        "Generates the kube-controller-manager static Pod manifest",
                                        InitPhaseFlags.CONTROLLER_MANAGER),
                                PatchTarget.KUBE_CONTROLLER_MANAGER),
                        phases.component(
                                PhaseInfo.of(
                                        "scheduler",
                                        "Generates the kube-scheduler static Pod manifest",
                                        InitPhaseFlags.SCHEDULER),
                                PatchTarget.KUBE_SCHEDULER)));
    }
}
