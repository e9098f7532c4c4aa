package io.kjadm.cli.kube;

import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.CriSockets;
import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.config.LoadedInit;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.init.InitRun;
import io.kjadm.core.join.AssumedCluster;
import io.kjadm.core.kube.KubeConnector;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Selection;
import io.kjadm.core.phase.SilentReporter;
import io.kjadm.core.phase.Workflow;
import io.kjadm.core.timing.Timings;
import io.kjadm.core.value.KubernetesVersion;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The node that the dry run of an upgrade assumes on a machine that is no node: its files as
 * {@code init} would write them, in memory, and a cluster with the defaults behind them. kubeadm
 * assumes one as well ({@code cmd/kubeadm/app/util/apiclient/dryrun.go}).
 *
 * @param controlPlane whether it is of the control plane
 * @param version of the cluster before the upgrade
 */
public record AssumedNode(boolean controlPlane, String version) {

    private static final List<String> WORKER =
            List.of("certs/ca", "kubeconfig/kubelet", "kubelet-start");
    private static final List<String> CONTROL_PLANE =
            List.of("certs", "kubeconfig", "etcd", "control-plane", "kubelet-start");

    /**
     * The node to assume; empty if this machine is one, or the operator names a kubeconfig.
     *
     * @param target the version that the upgrade is to, if the operator gives it
     */
    static Optional<AssumedNode> of(CommandFlags flags, boolean first, Optional<String> target) {
        HostFiles files = new DiskFiles();
        KubernetesPaths paths = KubernetesPaths.standard();
        boolean node = files.exists(paths.adminConf()) || files.exists(paths.kubeletConf());
        return node || flags.isSet(Flag.KUBECONFIG)
                ? Optional.empty()
                : Optional.of(new AssumedNode(
                        first,
                        target.flatMap(KubernetesVersion::parse)
                                .map(wanted -> wanted.minorText() + ".0")
                                .orElseGet(KubernetesVersion.CURRENT::text)));
    }

    /** What its dry run reaches the world through: no server is asked. */
    Ports ports(Reporter out) {
        out.step(
                "upgrade",
                "This machine is no node of a cluster: the dry run assumes a %s of a cluster with Kubernetes %s"
                        .formatted(controlPlane ? "control-plane node" : "worker", version));
        HostFiles node = files();
        Ports ports = Ports.alone(out, AssumedCluster.ofVersion(version, Instant.now()));
        return ports.withFiles(new OverlayFiles(node, out)).assuming(node);
    }

    private HostFiles files() {
        Reporter quiet = new SilentReporter();
        KubernetesPaths paths = KubernetesPaths.standard();
        HostFiles files = new OverlayFiles(new DiskFiles(), quiet);
        for (Path leftover : List.of(paths.kubernetesDir(), paths.kubeletDir())) {
            files.deleteTree(leftover);
        }
        Ports ports =
                Ports.alone(quiet, KubeConnector.absent()).withFiles(files).assuming(files);
        KeyPairPool keys = KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256);
        try (Composition composition = new Composition(quiet, ports, Timings.none())) {
            LoadedInit loaded = Composition.loader(quiet)
                    .init(
                            Optional.of(
                                    ConfigurationFile.of("assumed node", """
                                    apiVersion: kubeadm.k8s.io/v1beta4
                                    kind: ClusterConfiguration
                                    kubernetesVersion: %s
                                    encryptionAlgorithm: ECDSA-P256
                                    """.formatted(version))),
                            CommandFlags.none(),
                            new LoadOptions(
                                    Optional.of(CriSockets.DEFAULT),
                                    false,
                                    controlPlane,
                                    false,
                                    Optional.empty()));
            Workflow<InitRun> workflow =
                    InitCommand.workflow(composition, keys, paths, Optional.empty());
            InitRun run = InitCommand.start(
                    composition, keys, loaded, paths, Optional.empty(), CommandFlags.none());
            for (String phase : controlPlane ? CONTROL_PLANE : WORKER) {
                run = workflow.run(run, Selection.only(phase), quiet);
            }
        }
        return files;
    }
}
