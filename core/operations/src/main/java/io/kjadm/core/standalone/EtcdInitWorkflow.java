package io.kjadm.core.standalone;

import io.kjadm.core.phase.Workflow;

import java.util.List;

/** {@code etcd init} as a list of phases. */
public final class EtcdInitWorkflow {

    private EtcdInitWorkflow() {}

    /** The phases, wired. */
    public static Workflow<EtcdRun> of(StandalonePorts ports) {
        return new Workflow<>(
                "etcd init",
                List.of(
                        new EtcdPreflightPhase(ports),
                        new SnapshotPhase(
                                ports.machine().files(), ports.probes().disk()),
                        new DownloadPhase(ports.programs()),
                        new EtcdCertsPhase(
                                ports.machine().files(),
                                ports.keys(),
                                ports.machine().observer()::now),
                        new ConfigurePhase(ports),
                        new SnapshotDataPhase(ports.machine(), ports.programs()),
                        new StartPhase(ports),
                        new EtcdHealthPhase(ports),
                        new EtcdctlPhase(ports),
                        new EtcdInstructionsPhase(ports.machine().files())));
    }
}
