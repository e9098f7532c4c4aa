package io.kjadm.core.standalone;

import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.StandaloneEtcd.InitialCluster;

import java.util.List;

/** {@code configure}: the environment and the unit of a member that founds a cluster. */
record ConfigurePhase(StandalonePorts ports) implements Phase<EtcdRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "configure",
                "Write etcd's environment file and its systemd unit",
                EtcdPhaseFlags.CONFIGURE);
    }

    static InitialCluster founded(EtcdRun run) {
        return new InitialCluster(
                run.record().token(),
                false,
                List.of(new NameAndUrl(run.settings().name(), run.settings().peerUrl())));
    }

    @Override
    public EtcdRun run(EtcdRun run, Reporter out) {
        ports.etcd(run).remember(run.record());
        boolean changed = ports.etcd(run).configure(run.settings(), founded(run));
        out.step(
                "configure",
                changed
                        ? "Wrote %s and %s"
                                .formatted(
                                        run.paths().environment(), run.paths().unit())
                        : "%s and %s are as they should be"
                                .formatted(
                                        run.paths().environment(), run.paths().unit()));
        return run;
    }
}
