package io.kjadm.core.standalone;

import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;

/** {@code download}: etcd's programs are on this machine. */
record DownloadPhase(EtcdPrograms programs) implements Phase<EtcdRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                        "download",
                        "Install etcd and etcdctl, verified by their SHA-256",
                        EtcdPhaseFlags.DOWNLOAD)
                .alias("install");
    }

    @Override
    public EtcdRun run(EtcdRun run, Reporter out) {
        programs.install(
                run.settings().version(),
                run.settings().directories().install(),
                run.options(),
                out);
        return run;
    }
}
