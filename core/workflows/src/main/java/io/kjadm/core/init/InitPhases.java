package io.kjadm.core.init;

import io.kjadm.core.addon.CoreDns;
import io.kjadm.core.addon.KubeProxy;
import io.kjadm.core.check.Preflight;
import io.kjadm.core.cluster.ConfigurationUpload;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.MemberMarker;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.ClusterAdminClient;
import io.kjadm.core.node.ComponentHealth;
import io.kjadm.core.node.ControlPlaneMarker;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.KubeconfigSpec;
import io.kjadm.core.node.KubeletFileStore;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.node.ResolvConf;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.PlainPhase;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.pki.CertificateMaker.CheckLevel;
import io.kjadm.core.preflight.ImagePulls;
import io.kjadm.core.preflight.InitChecks;
import io.kjadm.core.preflight.machine.MachineChecks;
import io.kjadm.core.preflight.machine.PreflightHost;
import io.kjadm.manifests.Addon;
import io.kjadm.manifests.ConfigurationMaps;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.PatchTarget;
import io.kjadm.pki.CertificateSet;
import io.kjadm.pki.CertificateSpec;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The phases of {@code init} that are one call of what does the work.
 *
 * @param host what preflight looks at, real in a dry run too
 */
record InitPhases(
        Machine machine,
        NodeStores stores,
        ComponentHealth health,
        KubeClients clients,
        PreflightHost host,
        ClusterAdminClient admin,
        AdminWriters writes) {

    /**
     * {@code preflight}: can this machine become the first control-plane node, and are the images
     * there?
     */
    Phase<InitRun> preflight() {
        return PlainPhase.of(
                PhaseInfo.of("preflight", "Run pre-flight checks", InitPhaseFlags.PREFLIGHT),
                (run, out) -> {
                    out.step("preflight", "Running pre-flight checks");
                    Preflight preflight = new Preflight(run.options().ignorePreflightErrors(), out);
                    preflight.run(MachineChecks.privileged(host));
                    preflight.run(InitChecks.of(host, run.config(), run.node().cluster(), out));
                    out.step(
                            "preflight",
                            "Pulling images required for setting up a Kubernetes cluster");
                    preflight.run(InitChecks.imagePull(
                            host,
                            ImagePulls.of(
                                    run.node().registration(),
                                    Images.all(run.node().cluster()),
                                    Images.of(run.node().cluster()).pause())));
                });
    }

    /** {@code certs/NAME}: one certificate with its key, taken over if it is there. */
    Phase<InitRun> certificate(CertificateSpec spec) {
        Flag[] flags = spec.name().equals(CertificateSet.API_SERVER)
                ? InitPhaseFlags.API_SERVER_CERTIFICATE
                : InitPhaseFlags.CERTIFICATE;
        return PlainPhase.of(
                PhaseInfo.of(spec.name(), "Generate " + spec.description(), flags),
                run -> hasStackedEtcd(run) || !spec.needsStackedEtcd(),
                (run, out) ->
                        stores.certificates().provide(run.node(), spec, CheckLevel.CHAIN_AND_KEY));
    }

    private static boolean hasStackedEtcd(InitRun run) {
        return run.node().cluster().etcd() instanceof LocalEtcd;
    }

    /**
     * {@code certs/sa}: the pair that signs service account tokens; with an external CA the operator
     * brings it.
     */
    Phase<InitRun> serviceAccountKeys() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "sa",
                        "Generate a private key for signing service account tokens along with its public key",
                        InitPhaseFlags.CERTIFICATE),
                (run, out) -> {
                    if (run.externalCa()) {
                        out.step("certs", "External CA: the \"sa\" key pair must be provided");
                    } else {
                        stores.certificates().provideServiceAccountKeys(run.node());
                    }
                });
    }

    /** {@code kubeconfig/NAME}: one kubeconfig; with an external CA the operator's is only checked. */
    Phase<InitRun> kubeconfig(KubeconfigSpec spec) {
        Flag[] flags = spec == KubeconfigSpec.KUBELET
                ? InitPhaseFlags.KUBELET_KUBECONFIG
                : InitPhaseFlags.KUBECONFIG;
        return PlainPhase.of(
                PhaseInfo.of(spec.phase(), "Generate a kubeconfig file for " + spec.whose(), flags),
                (run, out) -> {
                    if (run.externalCa()) {
                        stores.kubeconfigs().check(run.node(), spec);
                        out.step(
                                "kubeconfig",
                                "External CA: using the provided \"%s\""
                                        .formatted(spec.fileName()));
                    } else {
                        stores.kubeconfigs().provide(run.node(), spec);
                    }
                });
    }

    /** {@code etcd/local}: the manifest of the first member of a stacked etcd. */
    Phase<InitRun> etcd() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "local",
                        "Generate the static Pod manifest file for the first member of a stacked etcd",
                        InitPhaseFlags.ETCD),
                InitPhases::hasStackedEtcd,
                (run, out) -> {
                    out.step(
                            "etcd",
                            "Creating static Pod manifest for local etcd in \"%s\""
                                    .formatted(run.node().paths().manifestsDir()));
                    writeEtcd(run.node());
                    startsAlone(run).ifPresent(out::warn);
                });
    }

    /** Also that of a member, whose data and whose cluster stay its own. */
    private void writeEtcd(ControlPlaneNode node) {
        Path manifest = node.paths().manifest(EtcdPod.NAME);
        LocalEtcdState now = LocalEtcdState.look(machine.files(), node.paths());
        Optional<List<NameAndUrl>> members = now.joined(machine.files(), manifest);
        if (now.data()) {
            now.dataLeftBehind(
                            machine.files(),
                            manifest,
                            stores.manifests().foreseen(node, PatchTarget.ETCD, members))
                    .ifPresent(problem -> {
                        throw new ClusterException(problem);
                    });
        }
        stores.manifests().writeEtcd(node, (LocalEtcd) node.cluster().etcd(), members);
    }

    /** It may be wanted for the first start with the data of another cluster. */
    private Optional<String> startsAlone(InitRun run) {
        return LocalEtcdState.look(machine.files(), run.node().paths()).added().initWarning();
    }

    /** {@code control-plane/NAME}: the manifest of one component. */
    Phase<InitRun> component(PhaseInfo info, PatchTarget component) {
        return PlainPhase.of(info, (run, out) -> {
            out.step(
                    "control-plane",
                    "Creating static Pod manifest for \"%s\"".formatted(component.fileName()));
            stores.manifests().write(run.node(), component, run.externalCa());
        });
    }

    /** {@code kubelet-start}: writes the kubelet's files and (re)starts it with them. */
    Phase<InitRun> kubeletStart() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "kubelet-start",
                        "Write kubelet settings and (re)start the kubelet",
                        InitPhaseFlags.KUBELET_START),
                (run, out) -> {
                    machine.services().stop("kubelet").ifPresent(out::warn);
                    stores.kubeletFiles()
                            .write(new KubeletFileStore.Input(
                                    run.node().registration(),
                                    ResolvConf.applied(run.node().kubelet(), machine.services()),
                                    run.node().patches(),
                                    run.node().paths(),
                                    true));
                    out.step("kubelet-start", "Starting the kubelet");
                    machine.services().restart("kubelet").ifPresent(out::warn);
                });
    }

    /**
     * {@code wait-control-plane}: kubelet, then components, then the administrator's rights. kubeadm
     * asks for the rights first, within a minute; a slow API server fails there.
     */
    Phase<InitRun> waitControlPlane() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "wait-control-plane",
                        "Wait for the control plane to start",
                        InitPhaseFlags.NONE),
                this::awaitControlPlane);
    }

    private void awaitControlPlane(InitRun run, Reporter out) {
        ControlPlaneNode node = run.node();
        out.step(
                "wait-control-plane",
                "Waiting for the kubelet to boot up the control plane as static Pods from directory \"%s\""
                        .formatted(node.paths().manifestsDir()));
        health.awaitKubelet(node.kubelet(), node.timeouts().kubeletHealthCheck());
        // /livez is open to everybody who is authenticated; rights are needed only afterwards
        health.awaitComponents(node, clients.of(run.options().kubeconfig(), node.localEndpoint()));
        if (node.cluster().etcd() instanceof LocalEtcd etcd) {
            MemberMarker.adopt(machine.files(), etcd.dataDir(), machine.waiter().now());
        }
        admin.connect(node, run.options().kubeconfig(), out);
    }

    /** {@code upload-config/kubeadm}: keeps the cluster's configuration where joining nodes read it. */
    Phase<InitRun> uploadClusterConfiguration() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "kubeadm",
                        "Upload the ClusterConfiguration to a ConfigMap",
                        InitPhaseFlags.UPLOAD_CONFIG),
                (run, out) -> {
                    out.step(
                            "upload-config",
                            "Storing the configuration used in ConfigMap \"%s\" in the \"kube-system\" Namespace"
                                    .formatted(ConfigurationMaps.KUBEADM_CONFIG));
                    ConfigurationUpload.kubeadm(
                            run.node().cluster(), writes.of(run, "upload-config", out));
                });
    }

    /** {@code upload-config/kubelet}: that of all kubelets, without what is one node's. */
    Phase<InitRun> uploadKubeletConfiguration() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "kubelet",
                        "Upload the kubelet component config to a ConfigMap",
                        InitPhaseFlags.UPLOAD_CONFIG),
                (run, out) -> {
                    out.step(
                            "kubelet",
                            "Creating a ConfigMap \"%s\" in namespace kube-system with the configuration for the kubelets in the cluster"
                                    .formatted(ConfigurationMaps.KUBELET_CONFIG));
                    ConfigurationUpload.kubelet(
                            run.node().kubelet(), writes.of(run, "upload-config", out));
                });
    }

    /** {@code mark-control-plane}: labels and taints the first node. */
    Phase<InitRun> markControlPlane() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "mark-control-plane",
                        "Mark a node as a control-plane",
                        InitPhaseFlags.MARK),
                (run, out) -> new ControlPlaneMarker(machine.waiter())
                        .mark(
                                run.node(),
                                writes.of(run, "mark-control-plane", out).api(),
                                out));
    }

    /** {@code addon/coredns}: the cluster's name service. */
    Phase<InitRun> coreDns() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "coredns",
                        "Install the CoreDNS addon to a Kubernetes cluster",
                        InitPhaseFlags.COREDNS),
                (run, out) -> {
                    CoreDns coreDns = new CoreDns(
                            run.node().cluster(), stores.patches(), run.node().patches());
                    if (run.options().printManifest()) {
                        out.print(coreDns.print());
                        return;
                    }
                    coreDns.install(writes.of(run, "addons", out), out);
                    out.step("addons", "Applied essential addon: CoreDNS");
                });
    }

    /** {@code addon/kube-proxy}: makes Services reachable on every node. */
    Phase<InitRun> kubeProxy() {
        return PlainPhase.of(
                PhaseInfo.of(
                        "kube-proxy",
                        "Install the kube-proxy addon to a Kubernetes cluster",
                        InitPhaseFlags.KUBE_PROXY),
                (run, out) -> {
                    Addon addon = KubeProxy.of(
                            run.node().cluster(),
                            run.node().controlPlaneEndpoint(),
                            run.kubeProxy(),
                            stores.pods(),
                            KubeProxy.patching(stores.patches(), run.node().patches()));
                    if (run.options().printManifest()) {
                        out.print(addon.print());
                        return;
                    }
                    writes.of(run, "addons", out).apply(addon.inWriteOrder());
                    out.step("addons", "Applied essential addon: kube-proxy");
                });
    }
}
