package io.kjadm.e2e;

import static io.kjadm.e2e.AutoCommands.OPERATOR;
import static io.kjadm.e2e.AutoCommands.SETTLING;
import static io.kjadm.e2e.AutoCommands.approveVersion;
import static io.kjadm.e2e.AutoCommands.daemonWith;
import static io.kjadm.e2e.AutoCommands.running;
import static io.kjadm.e2e.AutoCommands.serves;
import static io.kjadm.e2e.AutoCommands.shareToken;
import static io.kjadm.e2e.AutoCommands.shows;
import static io.kjadm.e2e.AutoCommands.timed;
import static io.kjadm.e2e.AutoCommands.told;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.cluster.Writer;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/**
 * Machines go from etcd 3.6 to 3.7 on an operator's word. One of them has the archive of 3.7 alone: it
 * cannot join before, and keeps no other machine from it.
 */
@NeedsLab
@Tag("long")
final class AutoUpgradeIT {

    private static final String OLD = "3.6.98";
    private static final String NEW = "3.7.9";

    @Test
    void machinesUpgradeWhileClientsWrite() {
        List.of("3.6.11", "3.7.1").forEach(Components::etcdTag);
        try (var lab = Lab.withNodes(4)) {
            lab.nodes().forEach(node -> {
                EtcdRelease.pack(node, "3.6.11", OLD);
                EtcdRelease.pack(node, "3.7.1", NEW);
            });
            var store = Lab.SHARED + "/store";
            var first = lab.node(1);
            var broken = lab.node(3);
            first.run("kjadm", "etcd", "seed", store, "nodes=3", "version=" + OLD);
            shareToken(lab);
            List.of(first, lab.node(2))
                    .forEach(node -> daemonWith(node, store, EtcdRelease.FOLDER));
            serves(first, 2);

            daemonWith(broken, store, EtcdRelease.tarball(NEW));
            shows(first, "status", "WAIT_FAILED");
            timed("a machine joins beside one that cannot", () -> {
                daemonWith(lab.node(4), store, EtcdRelease.FOLDER);
                serves(first, 3);
            });

            first.run("kjadm", "etcd", "auto", "pause", "--for=1h", "--reason=not yet");
            approveVersion(first, NEW);
            shows(first, "status", "etcd " + NEW);
            approveVersion(first, OLD);
            shows(first, "status", "etcd " + OLD);
            approveVersion(first, NEW);
            try (var writer = Writer.on(first)) {
                timed("three members from " + OLD + " to " + NEW, () -> {
                    first.run("kjadm", "etcd", "auto", "resume");
                    Eventually.passes(
                            SETTLING,
                            () -> lab.nodes().stream()
                                    .filter(node -> node != broken)
                                    .forEach(node -> assertEquals(
                                            NEW, running(node), () -> told(first, "status"))));
                });
                var writes = writer.writes();
                assertEquals(0, writes.missed(), writes::toString);
                System.out.println("[auto] upgraded: " + writes);
            }
            serves(first, 3);
            var older = first.exec(
                    "kjadm",
                    "etcd",
                    "auto",
                    "approve",
                    "spec",
                    "version=" + OLD,
                    OPERATOR,
                    "--yes");
            assertEquals(1, older.status(), older::everything);

            // what it has is the right archive now
            Eventually.passes(
                    SETTLING,
                    () -> assertTrue(
                            told(first, "status")
                                    .lines()
                                    .anyMatch(line -> line.startsWith(broken.name() + " ")
                                            && line.contains("spare")),
                            () -> told(first, "status")));
        }
    }
}
