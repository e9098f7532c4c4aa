package io.kjadm.core.simulation;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.auto.EntryBody.Form;
import io.kjadm.etcd.model.EtcdModel;
import io.kjadm.etcd.model.Machine;
import io.kjadm.etcd.model.VirtualWorld;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The etcd cluster that a machine founds, whatever becomes of it. */
final class AutoGeneration {

    static final EtcdVersion VERSION = EtcdVersion.parse("3.6.14");

    final Form form;
    /** Those that run its members. */
    final List<Machine> machines = new ArrayList<>();

    final AutoOracle oracle;
    final EtcdModel model;
    final SimulatedClient.Play play;
    boolean started;
    /** Whether an operator has ended it. */
    boolean over;

    AutoGeneration(Form form, VirtualWorld world, Random random, AutoOracle.Truth truth) {
        this.form = form;
        this.oracle = new AutoOracle(world, form.cluster(), truth);
        this.model = new EtcdModel(form.cluster(), world, VERSION, 1, random, machines);
        this.play = new SimulatedClient.Play(model, world, random, oracle, () -> false);
        oracle.watches(model);
    }

    void second() {
        model.second();
        if (started && !over) {
            oracle.second();
        }
    }
}
