package io.kjadm.core.standalone;

import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

/** {@code start}: the service runs, now and after every boot. */
record StartPhase(StandalonePorts ports) implements Phase<EtcdRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of("start", "Enable and start etcd's service", EtcdPhaseFlags.CONFIGURE);
    }

    @Override
    public EtcdRun run(EtcdRun run, Reporter out) {
        ports.etcd(run).start(run.settings(), ConfigurePhase.founded(run));
        out.step("start", "Enabled and started service etcd");
        return run;
    }
}
