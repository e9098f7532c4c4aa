package io.kjadm.core.upgrade;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Preflight;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.NodeRegistration;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.ImagePulls;
import io.kjadm.core.preflight.InitChecks;
import io.kjadm.core.preflight.NodeChecks;
import io.kjadm.core.preflight.machine.MachineChecks;
import io.kjadm.core.preflight.machine.PreflightHost;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * {@code preflight}: may this node, and with the first one the cluster, get the version that is
 * wanted? Nothing is changed but for images that are pulled, and for a member of etcd that an
 * earlier run has left in between.
 *
 * @param cluster what has to be asked of the cluster and of this node's control plane
 */
record UpgradePreflightPhase(
        PreflightHost host,
        Function<UpgradeRun, List<Check>> cluster,
        Confirmation confirmation,
        EtcdPatchStep etcdPatch)
        implements Phase<UpgradeRun> {

    private static final String AREA = "preflight";

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "preflight",
                "Run preflight checks before upgrade",
                Flag.CONFIG,
                Flag.KUBECONFIG,
                Flag.DRY_RUN,
                Flag.FORCE,
                Flag.IGNORE_PREFLIGHT_ERRORS,
                Flag.ALLOW_EXPERIMENTAL_UPGRADES,
                Flag.ALLOW_RELEASE_CANDIDATE_UPGRADES,
                Flag.YES);
    }

    @Override
    public UpgradeRun run(UpgradeRun run, Reporter out) {
        out.step(AREA, "Running pre-flight checks");
        etcdPatch.finish(run, out);
        Optional<NodeChanges.Unfinished> begun = run.changes().unfinished();
        begun.ifPresent(earlier -> out.step(
                AREA,
                "An upgrade of this node from %s to %s was interrupted: resuming it"
                        .formatted(earlier.from(), earlier.to())));
        run.changes().overtaken().ifPresent(change -> out.warn(change.problem().toString()));
        Preflight preflight = new Preflight(run.settings().ignorePreflightErrors(), out);
        preflight.run(MachineChecks.privileged(host));
        NodeRegistration registration = run.installed().registration();
        preflight.run(NodeChecks.system(host, registration, out));
        boolean goesBack = begun.filter(NodeChanges.Unfinished::rollingBack).isPresent();
        // what is half done has to be finished, or put back; each step asks for itself
        boolean goesOn = goesBack
                || begun.filter(earlier -> earlier.to().equals(run.target().text()))
                        .isPresent();
        if (!goesOn) {
            preflight.run(cluster.apply(run));
        }
        if (run.order().first()) {
            out.step(
                    AREA,
                    "The cluster is at %s and will be upgraded to %s"
                            .formatted(run.from(), run.target()));
            confirmation.require(AREA, "Are you sure you want to proceed?", "the upgrade");
        }
        if (run.controlPlane() && !goesBack) {
            out.step(AREA, "Pulling images required for setting up a Kubernetes cluster");
            preflight.run(InitChecks.imagePull(
                    host,
                    new ImagePulls(
                            Images.all(run.stored().cluster()),
                            Images.of(run.stored().cluster()).pause(),
                            registration.criSocket(),
                            run.settings().images().policy(),
                            run.settings().images().serial())));
        }
        return run;
    }
}
