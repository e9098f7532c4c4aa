package io.kjadm.core.standalone;

import io.kjadm.core.check.Preflight;
import io.kjadm.core.etcd.check.EarlyChecks;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.preflight.machine.MachineChecks;

import java.nio.file.Path;
import java.util.List;

/**
 * {@code preflight}: can this machine become a member? What is in the data directory is refused and
 * never touched. When all is well the member is noted, so that a run that is killed from here on is
 * continued by the same command.
 */
record EtcdPreflightPhase(StandalonePorts ports) implements Phase<EtcdRun> {

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
        preflight.run(MachineChecks.privileged(ports.host()));
        preflight.run(StandaloneEtcdChecks.of(
                ports.host(),
                new StandaloneEtcdChecks.Member(
                        run.settings().address(),
                        dataDir,
                        List.of(run.paths().environment(), run.paths().unit())),
                ports.facts()::network,
                run.resumes(),
                EarlyChecks.disk(ports.probes(), dataDir)));
        ports.etcd(run).remember(run.record());
        return run;
    }
}
