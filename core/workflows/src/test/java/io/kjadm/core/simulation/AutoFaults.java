package io.kjadm.core.simulation;

import io.kjadm.core.auto.AutoStage;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.MachineId;

import java.time.Duration;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What goes wrong in an {@link AutoSimulation}: the {@link AutoFault}s of its schedule. */
final class AutoFaults {

    private final AutoSimulation stage;
    private final AutoEtcdctl byHand;
    private Optional<NavigableMap<String, byte[]>> backup = Optional.empty();
    private boolean founderOff;
    private boolean readyOff;

    AutoFaults(AutoSimulation stage) {
        this.stage = stage;
        this.byHand = new AutoEtcdctl(stage);
    }

    /** It happens now. */
    void befall(AutoFault fault) {
        AutoMachine machine = stage.machines.get(fault.machine());
        Host host = machine.host;
        switch (fault.kind()) {
            case STORE_DOWN -> {
                stage.shelf.down++;
                stage.world.in(fault.millis(), () -> stage.shelf.down--);
            }
            case STORE_LOSSY -> {
                stage.shelf.lossy++;
                stage.world.in(fault.millis(), () -> stage.shelf.lossy--);
            }
            case STORE_BUSY -> {
                stage.shelf.busy++;
                stage.world.in(fault.millis(), () -> stage.shelf.busy--);
            }
            case STORE_SLOW -> {
                stage.shelf.slow++;
                stage.world.in(fault.millis(), () -> stage.shelf.slow--);
            }
            case SLOT_DELETED ->
                deleted(1 + stage.random.nextInt((int) stage.now.tail().slot() + 1), 1);
            case TAIL_DELETED -> {
                int many = 1 + stage.random.nextInt(3);
                deleted(Math.max(1, stage.now.tail().slot() - many + 1), many);
            }
            case LOG_DELETED -> deleted(1, (int) stage.now.tail().slot());
            case ALL_DELETED -> {
                stage.shelf.objects.keySet().retainAll(Set.of(AutoStage.clusterFile()));
                stage.refold();
            }
            case ROLLED_BACK -> {
                backup = backup.or(() -> Optional.of(new TreeMap<>(stage.shelf.objects)));
                stage.world.in(fault.millis(), this::rollBack);
            }
            case JUNK -> {
                stage.shelf.create(AutoStage.slot(stage.now.tail().slot() + 1), AutoStage.junk());
            }
            case KILL ->
                machine.mishaps.killLater(fault.places(), Math.min(fault.millis(), 300_000));
            case HALT -> machine.mishaps.haltLater(fault.places(), fault.millis());
            case OFF -> machine.offFor(fault.millis());
            case FOUNDER_OFF -> founderOff = true;
            case READY_OFF -> readyOff = true;
            case GONE -> {
                if (stage.machines.stream().noneMatch(other -> other.gone)) {
                    machine.gone(stage.world.now());
                }
            }
            case DISK_LATE -> {
                if (!machine.off) {
                    machine.offFor(10_000);
                    machine.disks.unmount();
                    stage.world.in(10_000 + fault.millis(), machine.disks::mount);
                }
            }
            case DISK_LOST -> machine.disks.lose(stage.world.now());
            case REMOVED_BY_HAND -> byHand.remove(machine);
            case ISOLATED -> isolate(host, fault.millis());
            case STORE_UNREACHED -> cutOff(host, fault.millis());
            case STORE_PARTED ->
                stage.machines.stream()
                        .map(it -> it.host)
                        .filter(it -> it.number % 2 == fault.places() % 2)
                        .forEach(it -> cutOff(it, fault.millis()));
            case UNPLUGGED -> {
                isolate(host, fault.millis());
                cutOff(host, fault.millis());
            }
            case ETCD_FAILED -> machine.etcdFails(stage.world.now());
            case ELECTION ->
                stage.generations.values().forEach(generation -> generation.model.election());
            case REQUEST_LOST ->
                machine.mishaps.nextChange(Mishap.Kind.REQUEST_LOST, fault.millis());
            case REPLY_LOST -> machine.mishaps.nextChange(Mishap.Kind.REPLY_LOST, fault.millis());
            case APPLIED_LATE ->
                machine.mishaps.nextChange(Mishap.Kind.APPLIED_LATE, fault.millis());
            case CHANGE_LATE -> machine.mishaps.haltBeforeChange(fault.millis());
            case PUT_BACK, DATA_PUT_BACK -> {
                if (host.unmounted) {
                    return;
                }
                AutoDisks.Image then = machine.disks.image();
                boolean whole = fault.kind() == AutoFault.Kind.PUT_BACK;
                stage.world.in(
                        Math.max(120_000, fault.millis()), () -> machine.putBack(then, whole));
            }
            case COPIED -> {
                if (machine.id().isEmpty() || host.unmounted) {
                    // it is any new machine before its first start
                    return;
                }
                Host at = stage.host(stage.machines.size(), host.name, 3_000);
                AutoMachine copy = machine.copy(at);
                stage.machines.add(copy);
                stage.world.in(
                        Math.max(300_000, fault.millis()), () -> copy.gone(stage.world.now()));
            }
            case QUORUM_LOST -> stage.operator.quorumLost(fault.millis());
            case RESIZED ->
                stage.operator.append(new EntryBody.Spec(
                        ClusterSpec.of(AutoGeneration.VERSION, 1 + fault.places() % 5)));
            case BROKEN -> {
                machine.broken = true;
                boolean forGood = fault.places() > 0;
                if (!forGood) {
                    stage.world.in(fault.millis(), () -> machine.broken = false);
                }
            }
            case INSTALLED_AGAIN -> machine.installedAgain(fault.millis(), fault.places() % 2 > 0);
            case DISK_FULL -> {
                host.full = true;
                stage.world.in(fault.millis(), () -> host.full = false);
            }
            case RESTORE_TAKEN_BACK -> stage.operator.takesBack(stage.world.now() + fault.millis());
            case CLOCK_WRONG -> {
                host.clockAhead = hour(fault);
                machine.restart();
                stage.world.in(fault.millis(), () -> {
                    host.clockAhead = Duration.ZERO;
                    machine.restart();
                });
            }
            case STORE_CLOCK_WRONG -> {
                stage.shelf.ahead = hour(fault);
                stage.world.in(fault.millis(), () -> stage.shelf.ahead = Duration.ZERO);
            }
            case STORE_READ_ONLY -> {
                stage.shelf.readOnly++;
                stage.world.in(fault.millis(), () -> stage.shelf.readOnly--);
            }
            case DISKS_SWAPPED -> {
                AutoMachine next =
                        stage.machines.get((fault.machine() + 1) % stage.schedule.machines());
                new AutoSwap(machine, next, stage).begin(fault.millis());
            }
            case REPORT_REPLAYED ->
                machine.reportKey().ifPresent(key -> {
                    byte[] then = stage.shelf.objects.get(key);
                    stage.world.in(fault.millis(), () -> {
                        if (then != null) {
                            stage.shelf.replace(key, then);
                        }
                    });
                });
            case ADDED_BY_HAND -> byHand.add(fault.millis());
            case PROMOTED_BY_HAND -> byHand.promote();
            case UPDATED_BY_HAND -> byHand.update(machine, fault.millis());
            case MOVED -> machine.moves(fault.millis());
            case RENAMED -> {
                host.hostname += "x";
                machine.restart();
            }
            case LAGGING -> {
                host.lagging = true;
                stage.world.in(fault.millis(), () -> host.lagging = false);
            }
            case ETCD_ENDS -> machine.etcdEnds(fault.millis());
            case NO_SPACE ->
                host.data.flatMap(_ -> stage.generation(stage.now)).ifPresent(generation -> {
                    generation.model.alarm = host.data;
                    stage.world.in(fault.millis(), () -> generation.model.alarm = Optional.empty());
                });
            case FORGED -> stage.operator.forge();
            case RETIRED -> stage.operator.append(new EntryBody.Retire(""));
            case LOG_REPAIRED -> stage.operator.repairLog(machine);
            case PAUSED -> {
                stage.operator.append(new EntryBody.Pause(Optional.empty(), ""));
                stage.world.in(fault.millis(), stage.operator::resume);
            }
            case PAUSED_FOR ->
                stage.operator.append(new EntryBody.Pause(
                        Optional.of(Duration.ofMillis(Math.min(fault.millis(), 600_000))), ""));
        }
    }

    private void isolate(Host host, long millis) {
        host.reachable = false;
        host.trouble(stage.world.now());
        stage.world.in(millis, () -> {
            stage.generations.values().forEach(generation -> generation.model.reconnect(host));
            host.reachable = true;
            host.recovers(stage.world.now());
        });
    }

    private void cutOff(Host host, long millis) {
        host.withoutStore++;
        stage.world.in(millis, () -> host.withoutStore--);
    }

    private static Duration hour(AutoFault fault) {
        return Duration.ofHours(fault.places() % 2 == 0 ? 1 : -1);
    }

    private void deleted(long first, int many) {
        for (long slot = first; slot < first + many; slot++) {
            stage.shelf.delete(AutoStage.slot(slot));
        }
        stage.refold();
    }

    private void rollBack() {
        NavigableMap<String, byte[]> old = backup.orElseThrow();
        stage.shelf.objects.keySet().retainAll(old.keySet());
        stage.shelf.objects.putAll(old);
        stage.refold();
    }

    /**
     * Turns the founder off where that is due, when the log has changed.
     *
     * @param before what the log was
     */
    void changed(Charter before) {
        boolean formed = stage.now.phase() == Phase.FORMING && before.phase() == Phase.NONE;
        boolean ready = stage.now.phase() == Phase.OPEN && before.phase() == Phase.FORMING;
        if (formed && founderOff || ready && readyOff) {
            founderOff &= !formed;
            readyOff &= !ready;
            MachineId founder = stage.now.founder().orElseThrow();
            stage.machines.stream()
                    .filter(machine -> machine.id().filter(founder::equals).isPresent())
                    .forEach(machine -> stage.world.in(
                            stage.random.nextInt(20_000),
                            () -> machine.offFor(stage.random.nextInt(1_500_000))));
        }
    }

    /** From now on nothing goes wrong any more. */
    void calmDown() {
        founderOff = false;
        readyOff = false;
        // what lasts for a time ends by itself
        stage.now
                .pause()
                .filter(pause -> pause.body().lasts().isEmpty())
                .ifPresent(_ -> stage.operator.resume());
        stage.machines.forEach(machine -> {
            machine.on(stage.world.now());
            machine.mishaps.killLater(-1, 0);
            machine.mishaps.haltLater(-1, 0);
        });
        stage.appends = 0;
    }
}
