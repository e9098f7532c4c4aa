package io.kjadm.core.standalone;

import io.kjadm.core.check.Preflight;
import io.kjadm.core.config.HostFacts;
import io.kjadm.core.etcd.check.EarlyChecks;
import io.kjadm.core.etcd.check.JoinProbes;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.InitChecks;
import io.kjadm.core.preflight.PreflightHost;
import io.kjadm.core.preflight.StandaloneEtcdChecks;

import java.nio.file.Path;
import java.util.List;

/**
 * {@code preflight}: can this machine become a member? What is in the data directory is refused and
 * never touched. When all is well the member is noted, so that a run that is killed from here on is
 * continued by the same command.
 */
final class EtcdPreflightPhase implements Phase<EtcdRun> {

    private final PreflightHost host;
    private final HostFacts facts;
    private final JoinProbes probes;
    private final EtcdMachine machine;

    EtcdPreflightPhase(
            PreflightHost host, HostFacts facts, JoinProbes probes, EtcdMachine machine) {
        this.host = host;
        this.facts = facts;
        this.probes = probes;
        this.machine = machine;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "preflight",
                "Check that this machine can become a member of etcd",
                EtcdPhaseFlags.PREFLIGHT);
    }

    @Override
    public EtcdRun run(EtcdRun run, Reporter out) {
        out.step("preflight", "Running pre-flight checks");
        Path dataDir = run.settings().directories().data();
        Preflight preflight = new Preflight(run.options().ignorePreflightErrors(), out);
        preflight.run(InitChecks.privileged(host));
        preflight.run(StandaloneEtcdChecks.of(
                host,
                new StandaloneEtcdChecks.Member(
                        run.settings().address(),
                        dataDir,
                        List.of(run.paths().environment(), run.paths().unit())),
                facts::network,
                run.resumes(),
                EarlyChecks.disk(probes, dataDir)));
        machine.remember(run);
        return run;
    }
}
