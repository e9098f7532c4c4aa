package io.kjadm.core.standalone;

import io.kjadm.core.phase.Workflow;

import java.util.List;

/** {@code etcd init} as a list of phases. */
public final class EtcdInitWorkflow {

    private EtcdInitWorkflow() {}

    /** The phases, wired. */
    public static Workflow<EtcdRun> of(StandalonePorts ports) {
        EtcdMachine machine = ports.etcdMachine();
        return new Workflow<>(
                "etcd init",
                List.of(
                        ports.preflight(),
                        new SnapshotPhase(
                                ports.machine().files(), ports.probes().disk()),
                        new DownloadPhase(ports.programs()),
                        ports.certs(),
                        new ConfigurePhase(machine),
                        new SnapshotDataPhase(ports.machine(), ports.programs()),
                        new StartPhase(machine),
                        new EtcdHealthPhase(machine),
                        new EtcdctlPhase(machine),
                        new EtcdInstructionsPhase(ports.machine().files())));
    }
}
