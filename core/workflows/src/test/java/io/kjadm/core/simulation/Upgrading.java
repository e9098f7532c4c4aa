package io.kjadm.core.simulation;

import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.simulation.Schedule.Upgrader;
import io.kjadm.core.upgrade.UpgradeOfAMember;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.model.Violation;
import io.kjadm.manifests.ControllerManagerPod;
import io.kjadm.manifests.SchedulerPod;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The machine of an operator who upgrades it, until it is upgraded or cannot be. */
final class Upgrading {

    static final String TO = "v1.36.2";
    private static final Path JOURNAL =
            Host.PATHS.tmpDir().resolve("kjadm-upgrade").resolve("journal.json");

    final Host host;
    final Upgrader upgrader;
    private final Stage stage;
    private final LeaseApi api;
    private final SimulatedClient.Play play;
    private final Random random;
    boolean done;
    boolean upgraded;
    String last = "";
    private final List<String> said;
    private int failures;
    private boolean mended;

    /** Begins runs of programs. */
    interface Stage {
        void begin(Host host, long delay, Run run);

        /** Where it is written what programs say. */
        List<String> log();
    }

    /** What a program does. */
    interface Run {
        void play(Program program, Tampering between);
    }

    Upgrading(
            Host host,
            Upgrader upgrader,
            Stage stage,
            LeaseApi api,
            SimulatedClient.Play play,
            Random random) {
        this.host = host;
        this.upgrader = upgrader;
        this.stage = stage;
        this.api = api;
        this.play = play;
        this.random = random;
        this.said = stage.log() == QuietReporter.NOWHERE ? new ArrayList<>() : stage.log();
        host.warned = this::wasWarned;
        upgrader.ends().ifPresent(component -> {
            if (component.equals("etcd")) {
                host.broken.add(EtcdVersion.parse(upgrader.to()));
            } else {
                host.brokenPods.add(component + ":" + TO);
            }
        });
    }

    int machine() {
        return host.number;
    }

    /** The command is run. */
    void begin(long delay) {
        stage.begin(host, delay, this::run);
    }

    private void run(Program program, Tampering between) {
        boolean calm = play.world().now() > Schedule.CALM;
        host.upgrading = true;
        try {
            upgrade(program, between);
            done = true;
            upgraded = true;
            host.upgrading = false;
        } catch (Killed killed) {
            if (killed.restart != Killed.NEVER) {
                begin(killed.restart);
            }
        } catch (RuntimeException e) {
            last = String.valueOf(e.getMessage());
            host.upgrading = host.files.exists(JOURNAL);
            failures += calm && !program.interrupted() ? 1 : 0;
            if (failures > 0 && upgrader.ends().isPresent() && !mended) {
                mend();
            }
            done = failures >= 3;
            if (!done) {
                begin(15_000 + random.nextInt(30_000));
            }
        }
    }

    /** An operator has read what was said, and the same command is to go on. */
    private void mend() {
        host.broken.clear();
        host.brokenPods.clear();
        mended = true;
        failures = 0;
    }

    private void upgrade(Program program, Tampering between) {
        host.newRun();
        ProgramWaiter waiter = new ProgramWaiter(program, play.world(), true);
        HostDisk disk = new HostDisk(host, program);
        KubeClients clients = new KubeClients(disk, access -> api.of(host, program, access));
        Machine machine = new Machine(
                disk,
                host.commands(program),
                new HostRuntime(host, program, play.world()),
                this::health,
                waiter,
                waiter);
        new UpgradeOfAMember(
                        machine,
                        new ClusterClients(
                                clients,
                                new EtcdClients(
                                        disk,
                                        clients,
                                        access -> between.upgrading(
                                                new SimulatedClient(
                                                        host,
                                                        program,
                                                        new Oracle.Upgrades(),
                                                        access.endpoints(),
                                                        play),
                                                host),
                                        waiter),
                                new LeaseLocks(disk, waiter, waiter.background(), random)),
                        QuietReporter.of(play.world(), host, said))
                .run(host.name, host.peerUrl.getHost(), Host.KUBERNETES, TO, upgrader.to());
    }

    private String health(URI url) {
        String component =
                url.getPort() == SchedulerPod.PORT ? SchedulerPod.NAME : ControllerManagerPod.NAME;
        return host.running.containsKey(component) ? "" : "connection refused";
    }

    private boolean wasWarned() {
        String own = "machine %d: ".formatted(host.number);
        return said.stream()
                .anyMatch(line ->
                        line.contains(own) && line.contains("it is not known whether etcd"));
    }

    /**
     * At the end it is what it was, or what it was to be, and runs.
     *
     * @param expected whether nothing stood in its way
     */
    void checkTheEnd(boolean expected) {
        if (!done) {
            throw new Violation(
                    "the upgrade of machine %d never ends: %s".formatted(host.number, last));
        }
        EtcdVersion to = EtcdVersion.parse(upgrader.to());
        if (upgraded && (!host.version().equals(to) || host.files.exists(JOURNAL))) {
            throw new Violation("machine %d was upgraded, and runs etcd %s"
                    .formatted(host.number, host.version()));
        }
        if (expected && !upgraded) {
            throw new Violation(
                    "machine %d could not be upgraded though nothing stood in its way: %s"
                            .formatted(host.number, last));
        }
        if (!host.up) {
            throw new Violation("etcd of machine %d does not run after its upgrade: %s"
                    .formatted(host.number, last));
        }
    }
}
