package io.kjadm.e2e;

import static io.kjadm.e2e.AutoCommands.LONG;
import static io.kjadm.e2e.AutoCommands.daemon;
import static io.kjadm.e2e.AutoCommands.formed;
import static io.kjadm.e2e.AutoCommands.shareToken;
import static io.kjadm.e2e.AutoCommands.shows;
import static io.kjadm.e2e.AutoCommands.timed;
import static io.kjadm.e2e.StandaloneCommands.BUNDLE;
import static io.kjadm.e2e.StandaloneCommands.founding;
import static io.kjadm.e2e.StandaloneCommands.joining;
import static io.kjadm.e2e.StandaloneCommands.kjadm;
import static io.kjadm.e2e.StandaloneCommands.start;
import static io.kjadm.e2e.StandaloneCommands.status;
import static io.kjadm.e2e.StandaloneCommands.voters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Outcome;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Stream;

/** Machines lose all but the data of their etcd members, as when their root disks are replaced. */
@NeedsLab
@Tag("long")
final class InstalledAgainIT {

    /** One machine, which the others do without meanwhile; then all of them at one time. */
    @Test
    void membersAreSetUpForTheDataThatAreThere() {
        try (var lab = Lab.withNodes(3)) {
            var version = EtcdRelease.packed(lab);
            var first = lab.node(1);
            var third = lab.node(3);
            kjadm(first, founding(version)).orFail();
            var bundle = first.read(BUNDLE);
            lab.nodes().forEach(node -> node.write(BUNDLE, bundle));
            lab.nodes().stream()
                    .skip(1)
                    .forEach(node -> kjadm(node, joining(first, version)).orFail());
            first.shell("/opt/bin/etcdctl.sh put kept yes");
            var members = members(first);

            installAgain(third);
            var plain = kjadm(third, joining(first, version));
            plain.failsFor("DirAvailable");
            first.shell("/opt/bin/etcdctl.sh put kept since");
            kjadm(third, withData(first, version)).orFail();
            assertEquals(members, members(first));
            assertEquals("since", third.shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
            kjadm(third, withData(first, version)).orFail();

            lab.nodes().forEach(InstalledAgainIT::installAgain);
            lab.nodes().stream()
                    .map(node -> start(node, withData(other(lab, node), version)))
                    .toList()
                    .forEach(join -> join.outcome().orFail());
            assertEquals(3, voters(first), () -> status(first));
            assertEquals(members, members(first));
            assertEquals("since", first.shell("/opt/bin/etcdctl.sh get --print-value-only kept"));

            // a member that was removed meanwhile is no member, whatever is on its disk
            installAgain(third);
            first.run("kjadm", "etcd", "member", "remove", third.name());
            var removed = kjadm(third, withData(first, version));
            removed.failsFor("ExistingMember");
            assertEquals("", third.shell("ls /etc/systemd/system | grep etcd || true"));
        }
    }

    /** Each machine takes the place that its disk has, and the automatic mode sets up etcd. */
    @Test
    void machinesTakeTheirPlacesInTheAutomaticMode() {
        try (var lab = Lab.withNodes(3)) {
            var version = EtcdRelease.packed(lab);
            var store = Lab.SHARED + "/store";
            var first = lab.node(1);
            var daemons = formed(lab, store, version);
            var members = members(first);
            var token = first.read(AutoCommands.TOKEN);

            daemons.forEach(running -> running.signal("KILL"));
            lab.nodes().forEach(InstalledAgainIT::installAgain);
            first.shell("mkdir -p /etc/kjadm");
            first.write(AutoCommands.TOKEN, token);
            first.shell("chmod 600 " + AutoCommands.TOKEN);
            shareToken(lab);

            // the daemon of a machine with another one's data names the command
            var early = daemon(first, store, version);
            Eventually.passes(
                    LONG,
                    () -> assertTrue(
                            early.output().contains("accept-disk --adopt"), early::output));
            var running = adopt(first, store);
            assertEquals(1, running.status(), running::everything);
            early.signal("KILL");
            early.outcome();

            timed("three machines installed again to three voters", () -> {
                lab.nodes()
                        .forEach(node -> Eventually.passes(LONG, () -> {
                            var adopted = adopt(node, store);
                            assertEquals(0, adopted.status(), adopted::everything);
                        }));
                lab.nodes().forEach(node -> daemon(node, store, version));
                Eventually.passes(LONG, () -> assertEquals(3, voters(first), () -> status(first)));
            });
            assertEquals(members, members(first));
            assertEquals("yes", first.shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
            lab.nodes().forEach(node -> shows(node, "explain", "IDLE"));
        }
    }

    private static Outcome adopt(Node node, String store) {
        return node.exec("kjadm", "etcd", "auto", "accept-disk", "--adopt", store);
    }

    private static Node other(Lab lab, Node node) {
        return lab.nodes().stream().filter(it -> it != node).findFirst().orElseThrow();
    }

    private static List<String> withData(Node member, String version) {
        return Stream.concat(joining(member, version).stream(), Stream.of("--existing-data"))
                .toList();
    }

    private static String members(Node node) {
        return node.shell("/opt/bin/etcdctl.sh member list");
    }

    /** Everything but the data, and the archive of etcd's release, is lost. */
    private static void installAgain(Node node) {
        node.shell(
                "systemctl disable --now etcd; rm -rf /etc/etcd /etc/kjadm /var/lib/kjadm /opt/bin"
                        + " /etc/systemd/system/etcd.service /etc/systemd/system/etcd.service.d;"
                        + " systemctl daemon-reload");
    }
}
