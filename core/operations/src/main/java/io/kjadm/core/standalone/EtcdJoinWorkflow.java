package io.kjadm.core.standalone;

import io.kjadm.core.phase.Workflow;

import java.util.List;

/**
 * {@code etcd join} as a list of phases. All that this machine needs is there and was tried before
 * etcd is touched.
 */
public final class EtcdJoinWorkflow {

    private EtcdJoinWorkflow() {}

    /** The phases, wired. */
    public static Workflow<EtcdRun> of(StandalonePorts ports) {
        return new Workflow<>(
                "etcd join",
                List.of(
                        new EtcdPreflightPhase(ports),
                        new DownloadPhase(ports.programs()),
                        new EtcdCertsPhase(
                                ports.machine().files(),
                                ports.keys(),
                                ports.machine().observer()::now),
                        new CheckClusterPhase(ports),
                        new MembershipPhase(ports),
                        new EtcdHealthPhase(ports),
                        new EtcdctlPhase(ports),
                        new EtcdInstructionsPhase(ports.machine().files())));
    }
}
