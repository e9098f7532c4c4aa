package io.kjadm.e2e;

import static io.kjadm.e2e.StandaloneCommands.installed;
import static io.kjadm.e2e.StandaloneCommands.status;
import static io.kjadm.e2e.StandaloneCommands.voters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.Node;
import io.kjadm.e2e.lab.Running;

import java.time.Duration;
import java.util.List;

/** The commands of the automatic mode on nodes. */
final class AutoCommands {

    static final String TOKEN = "/etc/kjadm/etcd-auto.token";
    static final String OPERATOR = "--operator-key=/etc/kjadm/etcd-auto-operator.key";

    static final Duration LONG = Duration.ofMinutes(20);
    static final Duration SETTLING = Duration.ofMinutes(6);

    private AutoCommands() {}

    /** What {@code etcd auto status}, {@code log} or {@code explain} prints on a node. */
    static String told(Node node, String what) {
        return node.run("kjadm", "etcd", "auto", what).stdout();
    }

    /** Waits until that holds a text. */
    static void shows(Node node, String what, String text) {
        Eventually.passes(LONG, () -> {
            var told = told(node, what);
            assertTrue(told.contains(text), told);
        });
    }

    /** ID of the member on a node. */
    static String member(Node first, Node of) {
        return first.run("kjadm", "etcd", "member", "list")
                .stdout()
                .lines()
                .filter(line -> line.contains(of.at(2380)))
                .map(line -> line.split("\\s+")[0])
                .findFirst()
                .orElseThrow();
    }

    /** Copies that of the first node to all others. */
    static void shareToken(Lab lab) {
        var token = lab.node(1).read(TOKEN);
        lab.nodes().stream().skip(1).forEach(node -> {
            node.shell("mkdir -p /etc/kjadm");
            node.write(TOKEN, token);
            node.shell("chmod 600 " + TOKEN);
        });
    }

    /** The daemon's command; its etcd comes from an archive, or a directory with archives. */
    static String[] words(String store, String archive) {
        return new String[] {
            "kjadm",
            "etcd",
            "auto",
            store,
            "--etcd-tarball=" + archive,
            "--ignore-preflight-errors=EtcdVersion"
        };
    }

    /** Prints how long it took. */
    static void timed(String what, Runnable does) {
        long begun = System.nanoTime();
        does.run();
        System.out.printf("[auto] %s: %.1f s%n", what, (System.nanoTime() - begun) / 1e9);
    }

    static Running daemon(Node node, String store, String version) {
        return daemonWith(node, store, EtcdRelease.tarball(version));
    }

    static Running daemonWith(Node node, String store, String archive) {
        return node.start(LONG, words(store, archive));
    }

    /** The daemons of machines that have formed a cluster of all of them, with a key in it. */
    static List<Running> formed(Lab lab, String store, String version) {
        var first = lab.node(1);
        first.run(
                "kjadm",
                "etcd",
                "seed",
                store,
                "nodes=" + lab.nodes().size(),
                "version=" + version);
        shareToken(lab);
        var daemons =
                lab.nodes().stream().map(node -> daemon(node, store, version)).toList();
        serves(first, lab.nodes().size());
        Eventually.passes(SETTLING, () -> first.shell("/opt/bin/etcdctl.sh put kept yes"));
        return daemons;
    }

    /** Waits until so many voters are healthy. */
    static void serves(Node node, int voters) {
        Eventually.passes(SETTLING, () -> assertEquals(voters, voters(node), () -> status(node)));
    }

    /** Waits until one node's member has taken the place of another's. */
    static void replaced(Node first, Node by, Node gone) {
        Eventually.passes(LONG, () -> {
            var members = first.run("kjadm", "etcd", "member", "list").stdout();
            assertTrue(members.contains(by.address()), members);
            assertTrue(!members.contains(gone.address()), members);
            assertEquals(3, voters(first), members);
        });
    }

    /** An operator wants another version. */
    static void approveVersion(Node node, String version) {
        node.run(
                "kjadm",
                "etcd",
                "auto",
                "approve",
                "spec",
                "version=" + version,
                OPERATOR,
                "--yes");
    }

    /** Version of the etcd that runs on a node. */
    static String running(Node node) {
        assertEquals("active", node.shell("systemctl is-active etcd || true"));
        return installed(node);
    }
}
