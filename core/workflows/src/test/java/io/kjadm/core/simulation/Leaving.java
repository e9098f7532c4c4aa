package io.kjadm.core.simulation;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.etcd.leave.EtcdOutcome;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.reset.ResetOfAMember;
import io.kjadm.core.simulation.Oracle.Resets;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.model.ModelServer;
import io.kjadm.etcd.model.Violation;

import java.util.Optional;

/** The machine of an operator who resets it. */
final class Leaving {

    private final Host host;
    private final Resets how;
    private final Simulation stage;
    boolean done;
    private boolean left;
    boolean kept;
    private int refusals;
    String last = "";

    Leaving(Host host, Resets how, Simulation stage) {
        this.host = host;
        this.how = how;
        this.stage = stage;
    }

    void begin(long delay) {
        stage.programs.begin(host, delay, this::run);
    }

    private void run(Program program, Tampering between) {
        boolean calm = stage.world.now() > Schedule.CALM;
        try {
            switch (leave(program, between)) {
                case EtcdOutcome.Gone _, EtcdOutcome.Absent _ -> left = true;
                case EtcdOutcome.Kept(Problem problem) -> {
                    last = problem.facts();
                    kept = true;
                }
            }
            done = true;
            requireGone();
        } catch (Killed killed) {
            if (killed.restart != Killed.NEVER) {
                begin(killed.restart);
            }
        } catch (RuntimeException e) {
            last = e.getMessage();
            requireAsItWas();
            refusals += calm && !program.interrupted() ? 1 : 0;
            done = refusals >= 3;
            if (!done) {
                begin(30_000);
            }
        }
    }

    private EtcdOutcome leave(Program program, Tampering between) {
        host.newRun();
        ProgramWaiter waiter = new ProgramWaiter(program, stage.world, true);
        QuietReporter out = QuietReporter.of(stage.world, host, stage.log);
        HostFiles disk = between.disk(new HostDisk(host, program));
        HostRuntime runtime = new HostRuntime(host, program, stage.world);
        return new ResetOfAMember(
                        disk,
                        host.commands(program),
                        runtime,
                        waiter,
                        new KubeClients(disk, access -> stage.api.of(host, program)),
                        access -> between.resetting(
                                new SimulatedClient(
                                        host, program, how, access.endpoints(), stage.play),
                                host),
                        new LeaseLocks(disk, waiter, waiter.background(), stage.random),
                        out)
                .run(
                        how.force(),
                        how.forceLastMember(),
                        stage.api.serves() && host.reachable
                                ? Optional.of(ClusterConfiguration.defaults())
                                : Optional.empty());
    }

    /** A machine that was reset is not listed. */
    void requireGone() {
        Optional<ModelServer> listed = stage.model.servers.stream()
                .filter(server -> server.machine.filter(host::equals).isPresent())
                .findFirst();
        if (left && !stage.oracle.hasEnded() && listed.isPresent()) {
            throw new Violation("machine %d was reset and is listed: %s"
                    .formatted(host.number, listed.get().member().describe()));
        }
    }

    /** A reset that does not go on puts back what it has taken out. */
    private void requireAsItWas() {
        boolean out = Host.CLIENTS.stream()
                .anyMatch(component -> host.files.exists(
                        Host.PATHS.tmpDir().resolve("kjadm-reset").resolve(component + ".yaml")));
        if (host.files.exists(Host.ETCD) && out) {
            throw new Violation("the refused reset of machine %d left manifests out: %s"
                    .formatted(host.number, last));
        }
    }
}
