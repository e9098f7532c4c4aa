package io.kjadm.core.simulation;

import io.kjadm.core.auto.AutoStage;

import java.util.Optional;

/** Two machines of an {@link AutoSimulation} that have each other's data disk for a time. */
record AutoSwap(AutoMachine one, AutoMachine other, AutoSimulation stage) {

    /** Both boot with the data disk of the other one, if their disks can be taken out. */
    void begin(long millis) {
        boolean home = isHome(one) && isHome(other);
        if (one == other || !home || !swaps()) {
            return;
        }
        one.foreign = one.host.data;
        other.foreign = other.host.data;
        stage.world.in(10_000 + millis, this::end);
    }

    /** systemd starts the etcd of a person without a question, so its disk stays where it is. */
    private static boolean isHome(AutoMachine machine) {
        return machine.host.files.exists(AutoStage.NOTE)
                && machine.foreign.isEmpty()
                && machine.former.isEmpty();
    }

    /** Both boot with their own data disks, as soon as both are on. */
    private void end() {
        if (!swaps()) {
            stage.world.in(10_000, this::end);
            return;
        }
        one.foreign = Optional.empty();
        other.foreign = Optional.empty();
    }

    private boolean swaps() {
        if (!givesItsDisk(one) || !givesItsDisk(other)) {
            return false;
        }
        one.off(stage.world.now());
        other.off(stage.world.now());
        one.disks.swap(other.disks);
        stage.world.in(10_000, one::comesBack);
        stage.world.in(10_000, other::comesBack);
        return true;
    }

    /** The disk of a machine that does not come back can be taken out, too. */
    private static boolean givesItsDisk(AutoMachine machine) {
        return (!machine.off || machine.gone) && !machine.host.unmounted;
    }
}
