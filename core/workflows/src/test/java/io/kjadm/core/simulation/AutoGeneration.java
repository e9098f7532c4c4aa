package io.kjadm.core.simulation;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.auto.EntryBody.Beginning;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.model.EtcdModel;
import io.kjadm.etcd.model.Machine;
import io.kjadm.etcd.model.VirtualWorld;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** The etcd cluster that a machine founds, or that is adopted, whatever becomes of it. */
final class AutoGeneration {

    static final EtcdVersion VERSION = EtcdVersion.parse("3.6.14");

    final Beginning began;
    /** Those that run its members. */
    final List<Machine> machines = new ArrayList<>();

    final AutoOracle oracle;
    final EtcdModel model;
    final SimulatedClient.Play play;
    boolean started;
    /** Whether an operator has ended it. */
    boolean over;
    /** When that was taken back, if not all of its members are put back yet. */
    Optional<Long> resumes = Optional.empty();

    AutoGeneration(Beginning began, VirtualWorld world, Random random, AutoOracle.Truth truth) {
        this.began = began;
        this.oracle = new AutoOracle(world, began.cluster(), truth);
        this.model = new EtcdModel(began.cluster(), world, VERSION, 1, random, machines);
        this.play = new SimulatedClient.Play(model, world, random, oracle, () -> false);
        oracle.watches(model);
    }

    /** How a machine has founded it. */
    Form form() {
        return (Form) began;
    }

    void second() {
        model.second();
        if (started && !over) {
            oracle.second();
        }
    }
}
