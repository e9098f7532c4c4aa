package io.kjadm.core.join;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Preflight;
import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.JoinControlPlane;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.check.EarlyChecks;
import io.kjadm.core.etcd.check.JoinProbes;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.ImagePulls;
import io.kjadm.core.preflight.InitChecks;
import io.kjadm.core.preflight.JoinChecks;
import io.kjadm.core.preflight.machine.MachineChecks;
import io.kjadm.core.preflight.machine.PreflightHost;

import java.util.ArrayList;
import java.util.List;

/** {@code preflight}: can this machine join, and is the cluster ready to be joined? */
record JoinPreflightPhase(
        PreflightHost host, Discoverer discoverer, ProvidedCertificates provided, JoinProbes probes)
        implements Phase<JoinRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of("preflight", "Run join pre-flight checks", JoinPhaseFlags.PREFLIGHT);
    }

    @Override
    public JoinRun run(JoinRun given, Reporter out) {
        out.step("preflight", "Running pre-flight checks");
        Preflight preflight = new Preflight(given.options().ignorePreflightErrors(), out);
        preflight.run(MachineChecks.privileged(host));
        if (given.resumed()) {
            out.step(
                    "preflight",
                    "Resuming an interrupted join; existing files are treated as its own");
        }
        preflight.run(asked(given, JoinChecks.of(host, given.config(), out)));
        JoinRun run = discoverer.ensure(given, out);
        run.config().controlPlane().ifPresent(part -> controlPlane(run, part, preflight, out));
        return run;
    }

    private static List<Check> asked(JoinRun run, List<Check> checks) {
        // whose data it is that may be given up is known, and checked, once the cluster's etcd is
        // asked
        boolean givenUp = run.options().rejoin().wipeEtcdData().isPresent();
        return checks.stream()
                .filter(check -> !run.resumed() || !check.aboutLeftovers())
                .filter(check -> !givenUp || !check.name().startsWith("DirAvailable-"))
                .toList();
    }

    private void controlPlane(
            JoinRun run, JoinControlPlane part, Preflight preflight, Reporter out) {
        ClusterConfiguration cluster = run.cluster().cluster();
        if (cluster.controlPlaneEndpoint().isEmpty()) {
            throw new UsageException(
                    "the cluster cannot take another control-plane node",
                    "its configuration has no stable controlPlaneEndpoint, by which nodes would find each other",
                    "set controlPlaneEndpoint in ConfigMap kubeadm-config in kube-system (a name or address in front of all "
                            + "control-plane nodes; the API server certificates must be valid for it), then join again");
        }
        if (part.certificateKey().isEmpty()) {
            provided.check(run.node(), out);
        }
        // begun before the others are asked: measuring a disk takes a moment
        List<Check> early = cluster.etcd() instanceof LocalEtcd etcd
                ? EarlyChecks.begin(
                        probes,
                        etcd.dataDir(),
                        run.cluster().access().server(),
                        run.cluster().caPem())
                : List.of();
        List<Check> checks = new ArrayList<>(JoinChecks.controlPlane(host, part, cluster));
        checks.addAll(early);
        preflight.run(asked(run, checks));
        out.step("preflight", "Pulling images required for setting up a Kubernetes cluster");
        preflight.run(InitChecks.imagePull(
                host,
                ImagePulls.of(
                        run.config().nodeRegistration(),
                        Images.all(cluster),
                        Images.of(cluster).pause())));
    }
}
