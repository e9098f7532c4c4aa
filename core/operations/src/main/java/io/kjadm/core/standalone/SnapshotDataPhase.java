package io.kjadm.core.standalone;

import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

/** {@code restore}: the member has the data of the snapshot before it is started at all. */
record SnapshotDataPhase(Machine machine, EtcdPrograms programs) implements Phase<EtcdRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "restore",
                "Restore the snapshot to etcd's data directory",
                EtcdPhaseFlags.DOWNLOAD);
    }

    @Override
    public boolean applies(EtcdRun run) {
        return machine.files().exists(run.paths().fetchedSnapshotName());
    }

    @Override
    public EtcdRun run(EtcdRun run, Reporter out) {
        new SnapshotData(
                        machine.files(),
                        run,
                        new RestoredEtcdService(
                                new SystemdEtcd(machine, run.paths()),
                                programs,
                                run.options(),
                                out),
                        out)
                .make();
        return run;
    }
}
