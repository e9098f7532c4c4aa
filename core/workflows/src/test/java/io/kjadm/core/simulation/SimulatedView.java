package io.kjadm.core.simulation;

import io.kjadm.core.auto.MachineView;
import io.kjadm.core.auto.OwnData;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Local;
import io.kjadm.etcd.auto.AutoFacts.Provided;
import io.kjadm.etcd.auto.AutoFacts.Self;
import io.kjadm.etcd.auto.AutoFacts.SetUp;
import io.kjadm.etcd.auto.AutoFacts.Stops;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.UnitState;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** What the daemon of an {@link AutoMachine} sees of its machine and of etcd. */
final class SimulatedView implements MachineView {

    private final AutoDaemon run;
    private final AutoSimulation stage;
    private final AutoMachine machine;
    private final Host host;

    SimulatedView(AutoDaemon run) {
        this.run = run;
        this.stage = run.stage;
        this.machine = run.machine;
        this.host = run.machine.host;
    }

    @Override
    public Self self(Charter charter) {
        return new Self(
                run.own.memory().id(),
                new Step.Own(
                        host.hostname,
                        host.peerUrl.getHost(),
                        charter.seed().spec().version(),
                        List.of()),
                host.peerUrl,
                host.clientUrl,
                new AutoFacts.Backup(new Step.Save("/backups", "age1"), "/backup.identity"));
    }

    @Override
    public Local local(Charter charter, Optional<MachineReport> reported) {
        UnitState unit = !host.files.exists(Host.ETCD)
                ? UnitState.ABSENT
                : host.endsAtOnce()
                        ? UnitState.RESTARTING
                        : host.up || host.kubelet ? UnitState.ACTIVE : UnitState.FAILED;
        return new Local(
                data(charter, reported),
                unit,
                !host.files.exists(SimulatedSteps.SET_UP)
                        ? alone() ? SetUp.DATA : SetUp.NONE
                        : charter.founder()
                                        .filter(run.own.memory().id()::equals)
                                        .isPresent()
                                ? SetUp.INIT
                                : SetUp.JOIN,
                new Readiness(List.of()),
                new Provided(
                        charter.cluster()
                                .filter(it ->
                                        stage.shelf.objects.containsKey(SimulatedSteps.ca(it)))
                                .isPresent(),
                        host.files
                                .read(SimulatedSteps.CLIENTS)
                                .filter(SimulatedSteps.clients(charter)::equals)
                                .isPresent(),
                        Optional.empty()),
                run.own.memory().fenced(charter),
                new Stops(Optional.empty(), run.own.run().look(), Optional.empty()));
    }

    @Override
    public EtcdView etcd(Charter charter) {
        Optional<AutoGeneration> generation = stage.generation(charter);
        if (generation.isEmpty()) {
            return new EtcdView.Silent("no member responds");
        }
        List<URI> endpoints = charter.voters().stream()
                .flatMap(seat -> seat.clientUrls().stream())
                .toList();
        try {
            return new EtcdView.Answers(
                    EtcdHealth.ask(run.client(generation.get(), endpoints)),
                    generation.get().model.cluster());
        } catch (EtcdCallException e) {
            return new EtcdView.Silent(e.getMessage());
        }
    }

    private Data data(Charter charter, Optional<MachineReport> reported) {
        if (machine.hides) {
            return run.between.data(new Data.Blank());
        }
        if (!host.up && host.data.isPresent()) {
            machine.writeLog();
        }
        return run.between.data(run.own.disk().look(charter, begun(), host.up, reported));
    }

    /** Whether there is nothing but the data of a member. */
    private boolean alone() {
        boolean other = run.disk.exists(SimulatedSteps.BEGUN) || run.disk.exists(Host.ETCD);
        return host.data.isPresent()
                && (run.disk.exists(SimulatedSteps.WITH_DATA) || !other)
                && new JournalFile(run.disk, Host.PATHS.tmpDir()).read().isEmpty();
    }

    private OwnData.Begun begun() {
        if (run.disk.exists(SimulatedSteps.SET_UP)) {
            return OwnData.Begun.FINISHED;
        }
        boolean begun = run.disk.exists(SimulatedSteps.BEGUN)
                || run.disk.exists(Host.ETCD)
                || new JournalFile(run.disk, Host.PATHS.tmpDir()).read().isPresent();
        return begun ? OwnData.Begun.BEGUN : OwnData.Begun.NOT;
    }

    @Override
    public void begins(Charter charter) {
        run.own.disk().begins(charter, run.waiter.now());
    }

    @Override
    public void seen(AutoFacts facts) {
        run.own.disk().seen(facts, run.waiter.now());
    }

    @Override
    public MachineReport.Floor floor() {
        return run.own.disk().floor();
    }
}
