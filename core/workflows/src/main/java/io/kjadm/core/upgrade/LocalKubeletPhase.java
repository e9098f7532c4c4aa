package io.kjadm.core.upgrade;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.ManifestException;

import java.nio.file.Path;
import java.util.Optional;

/**
 * {@code kubeconfig}: lets the kubelet of a control-plane node ask its own API server. One that an
 * older kubeadm has joined asks the control-plane endpoint, and could so meet an API server that
 * is older than itself while others are upgraded (kubeadm's gate ControlPlaneKubeletLocalMode). A
 * server that is neither was somebody's choice and stays.
 */
record LocalKubeletPhase(Machine machine, KubeletRestart restart) implements Phase<UpgradeRun> {

    private static final String STEP = "kubeconfig";

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                        STEP,
                        "Configure the kubelet of this node to use the local API server",
                        Flag.CONFIG,
                        Flag.KUBECONFIG,
                        Flag.DRY_RUN)
                .asHidden();
    }

    @Override
    public UpgradeRun run(UpgradeRun run, Reporter out) {
        if (!run.controlPlane()) {
            out.step(STEP, "Skipping phase: this node has no control plane");
            return run;
        }
        Path path = run.installed().paths().kubeletConf();
        Optional<String> local = pointingHere(run, path);
        if (local.isEmpty()) {
            return run;
        }
        NodeChanges changes = run.changes().begin();
        changes.write(STEP, path, local.get(), FileMode.OWNER_ONLY);
        out.step(
                STEP,
                "\"%s\" points at this node's API server now: %s"
                        .formatted(path, run.node().localEndpoint()));
        restart.restart(run, changes, STEP, out);
        return run;
    }

    /** Empty if it does not point at the control-plane endpoint, or that is this node. */
    private Optional<String> pointingHere(UpgradeRun run, Path path) {
        String shared = run.node().controlPlaneEndpoint().toString();
        String local = run.node().localEndpoint().toString();
        try {
            return machine.files()
                    .read(path)
                    .map(Kubeconfig::parse)
                    .filter(conf ->
                            !shared.equals(local) && conf.cluster().server().equals(shared))
                    .map(conf -> conf.withServer(local).render());
        } catch (ManifestException e) {
            throw new HostException(
                    "kubeconfig %s cannot be used".formatted(path),
                    e.getMessage(),
                    "restore the file; the kubelet needs it as well",
                    e);
        }
    }
}
