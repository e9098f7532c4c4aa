package io.kjadm.e2e;

import static io.kjadm.e2e.AutoCommands.SETTLING;
import static io.kjadm.e2e.AutoCommands.daemon;
import static io.kjadm.e2e.AutoCommands.serves;
import static io.kjadm.e2e.AutoCommands.shareToken;
import static io.kjadm.e2e.AutoCommands.told;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.NodeRecorder;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Running;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Machines in automatic mode that fail, lose their data, or are touched by a person. */
final class SoakAutomatic extends SoakPiece {

    private static final String STORE = Lab.SHARED + "/store";
    /** The log of the member that is lost tells what it had. */
    private static final String LOSE_DATA =
            "systemctl stop etcd; mkdir -p /var/lib/etcd.lost && mv /var/lib/etcd/member /var/lib/etcd.lost/$(date +%s%N); systemctl start etcd || true";

    /** Resident memory of the daemon in KiB; what has started it takes none. */
    private static final String MEMORY =
            "ps -o rss= -p $(pgrep -d , -f '[e]tcd auto %s') | sort -n | tail -n 1"
                    .formatted(STORE);

    private final List<Node> machines;
    private final Map<Node, Running> daemons = new HashMap<>();

    SoakAutomatic(Lab lab, Path folder, long seed) {
        super(lab, folder, seed);
        machines = lab.nodes().subList(0, 3);
    }

    @Override
    String title() {
        return "random faults in automatic mode";
    }

    @Override
    NodeRecorder begin() {
        var first = lab.node(1);
        first.run("kjadm", "etcd", "seed", STORE, "nodes=3", "version=" + version);
        shareToken(lab);
        machines.forEach(this::startDaemon);
        serves(first, 3);
        settle();
        var recorder = new NodeRecorder(folder, first, machines);
        machines.stream().skip(1).forEach(recorder::serves);
        return recorder;
    }

    private void startDaemon(Node node) {
        daemons.put(node, daemon(node, STORE, version));
    }

    @Override
    List<Act> acts() {
        var machine = any(machines);
        var name = " " + machine.name();
        return List.of(
                cutOff(machine),
                new Act("power cut" + name, () -> {
                    machine.cutPower();
                    pause(30);
                    machine.powerOn();
                    startDaemon(machine);
                }),
                new Act("killed etcd" + name, () -> machine.shell("pkill -9 -x etcd")),
                new Act("killed daemon" + name, () -> {
                    daemons.get(machine).signal("KILL");
                    pause(20);
                    startDaemon(machine);
                }),
                new Act("lost data" + name, () -> machine.shell(LOSE_DATA)),
                new Act("store away", () -> {
                    machine.shell("mv %1$s %1$s.away".formatted(STORE));
                    pause(60);
                    machine.shell("mv %1$s.away %1$s".formatted(STORE));
                }),
                new Act("pause" + name, () -> {
                    machine.run("kjadm", "etcd", "auto", "pause", "--reason", "soak");
                    pause(20);
                    machine.run("kjadm", "etcd", "auto", "resume");
                }),
                new Act("etcd stopped by a person" + name, () -> {
                    machine.shell("systemctl stop etcd");
                    pause(20);
                    machine.shell("systemctl start etcd");
                }));
    }

    /** All daemons have nothing to do. */
    @Override
    void settle() {
        serves(machines.getFirst(), machines.size());
        machines.forEach(machine -> Eventually.passes(
                SETTLING,
                () -> assertTrue(
                        told(machine, "explain").contains("IDLE"),
                        () -> told(machine, "explain"))));
    }

    /** The memory of each daemon. */
    @Override
    String measured() {
        return machines.stream()
                .map(machine -> Long.parseLong(machine.shell(MEMORY).strip()) / 1024)
                .map("%d MiB"::formatted)
                .collect(Collectors.joining(", "));
    }
}
