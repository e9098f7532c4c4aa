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
        EtcdMachine machine = ports.etcdMachine();
        return new Workflow<>(
                "etcd join",
                List.of(
                        ports.preflight(),
                        new DownloadPhase(ports.programs()),
                        ports.certs(),
                        new CheckClusterPhase(machine, ports.probes()),
                        new MembershipPhase(machine, ports.probes(), ports.failpoints()),
                        new EtcdHealthPhase(machine),
                        new EtcdctlPhase(machine),
                        new EtcdInstructionsPhase(ports.machine().files())));
    }
}
