package io.kjadm.core.simulation;

import io.kjadm.core.auto.AutoLoop;
import io.kjadm.core.auto.AutoLoop.Turn;
import io.kjadm.core.auto.AutoStage;
import io.kjadm.etcd.auto.AutoDecider;
import io.kjadm.etcd.auto.Decision;
import io.kjadm.etcd.join.RejoinOptions;
import io.kjadm.store.ObjectStore;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One run of the daemon of an {@link AutoMachine}: what it has, and its turns. */
final class AutoDaemon {

    /** So many looks for the same are as production's; later ones are rarer, to spare us most of them. */
    private static final int BRISK = 10;

    private static final long LEISURELY = 25_000;

    final AutoMachine machine;
    final AutoSimulation stage;
    final Program program;
    final ProgramWaiter waiter;
    final QuietReporter out;
    final HostDisk disk;
    final ObjectStore store;
    final AutoTampering between;
    final AutoStage.Daemon own;
    private Object waitsFor = "";
    private int again;

    AutoDaemon(AutoMachine machine, AutoSimulation stage, Program program) {
        this.machine = machine;
        this.stage = stage;
        this.program = program;
        this.between = stage.tampering.get();
        Host host = machine.host;
        this.waiter = new ProgramWaiter(program, stage.world, true, host.clockAhead);
        this.out = QuietReporter.of(stage.world, host, stage.log);
        this.disk = new HostDisk(host, program);
        this.store = between.store(new SimulatedStore(stage.shelf, host, program), host);
        this.own = AutoStage.daemon(
                new AutoStage.Parts(
                        store,
                        stage.token,
                        stage.reports,
                        between.files(disk),
                        waiter,
                        waiter.background(),
                        out,
                        stage.random,
                        host.name,
                        "boot " + machine.boots),
                new SimulatedView(this),
                new SimulatedSteps(this),
                facts -> new AutoDecider().decide(between.facts(facts)));
    }

    void turns() {
        AutoLoop loop = own.loop();
        while (true) {
            long begun = stage.world.now();
            machine.begins(begun);
            Turn turn = loop.turn();
            machine.last = Optional.of(turn);
            stage.promises.seen(machine, turn, begun);
            long pause = turn.next().toMillis();
            if (pause > 0) {
                waiter.pause("auto", "", Duration.ofMillis(leisurely(turn, pause)));
            }
        }
    }

    /** A machine that waits for the same all the time looks less often. */
    private long leisurely(Turn turn, long pause) {
        Object waits = turn.outcome().decision() instanceof Decision.Wait(var code, var _, var _)
                ? code
                : turn.outcome().rule();
        again = waits.equals(waitsFor) ? again + 1 : 0;
        waitsFor = waits;
        boolean idle = turn.outcome().decision() instanceof Decision.Idle;
        long usual = idle ? 2 * pause : pause;
        return again < BRISK ? usual : Math.min(4 * usual, Math.max(usual, LEISURELY));
    }

    /** A connection to the members of a generation. */
    SimulatedClient client(AutoGeneration generation, List<URI> endpoints) {
        return new SimulatedClient(
                machine.host,
                program,
                new Oracle.Joins(RejoinOptions.NONE),
                endpoints,
                generation.play);
    }
}
