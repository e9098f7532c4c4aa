package io.kjadm.e2e;

import static io.kjadm.e2e.AutoCommands.LONG;
import static io.kjadm.e2e.AutoCommands.TOKEN;
import static io.kjadm.e2e.AutoCommands.daemon;
import static io.kjadm.e2e.AutoCommands.formed;
import static io.kjadm.e2e.AutoCommands.serves;
import static io.kjadm.e2e.AutoCommands.shareToken;
import static io.kjadm.e2e.AutoCommands.shows;
import static io.kjadm.e2e.AutoCommands.told;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.e2e.cluster.Eventually;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A store is put back to an earlier state, and written to: the cluster moves to another store. */
@NeedsLab
@Tag("long")
final class AutoStoreIT {

    @Test
    void aClusterWithTwoLogsMovesToAnotherStore() {
        try (var lab = Lab.withNodes(3)) {
            var version = EtcdRelease.packed(lab);
            var store = Lab.SHARED + "/store";
            var other = Lab.SHARED + "/other";
            var first = lab.node(1);
            var daemons = formed(lab, store, version);

            // a backup of the store comes back, and a person writes to it
            first.shell("cp -r %1$s %1$s.before".formatted(store));
            first.run("kjadm", "etcd", "auto", "pause", "--reason", "maintenance");
            all(first, "WAIT_PAUSED");
            daemons.forEach(running -> running.signal("TERM"));
            first.shell("rm -r %1$s && mv %1$s.before %1$s".formatted(store));
            first.shell("mv /var/lib/kjadm/etcd-auto /var/lib/kjadm/etcd-auto.aside");
            first.run("kjadm", "etcd", "auto", "pause", "--reason=another", store);
            first.shell(
                    "rm -rf /var/lib/kjadm/etcd-auto; mv /var/lib/kjadm/etcd-auto.aside /var/lib/kjadm/etcd-auto");
            var unsafe = lab.nodes().stream()
                    .map(node -> daemon(node, store, version))
                    .toList();
            all(first, "UNSAFE_STORE");
            var refused = first.exec("kjadm", "etcd", "auto", "repair-log", "--yes");
            assertEquals(1, refused.status(), refused::everything);

            var before = lab.nodes().stream()
                    .map(node -> node.shell("pgrep -x etcd"))
                    .toList();
            unsafe.forEach(running -> running.signal("TERM"));
            lab.nodes()
                    .forEach(node -> node.shell(
                            "mv /var/lib/kjadm/etcd-auto /var/lib/kjadm/etcd-auto.before && mv %1$s %1$s.before && rm /etc/systemd/system/etcd.service.d/50-kjadm-auto.conf && systemctl daemon-reload"
                                    .formatted(TOKEN)));
            first.run("kjadm", "etcd", "auto", "adopt", other, "--yes");
            shareToken(lab);
            lab.nodes().forEach(node -> daemon(node, other, version));
            lab.nodes().forEach(node -> shows(node, "explain", "IDLE"));
            assertEquals(
                    before,
                    lab.nodes().stream()
                            .map(node -> node.shell("pgrep -x etcd"))
                            .toList());

            // its start is checked by the new log
            lab.node(3).shell("systemctl restart etcd");
            serves(first, 3);
            assertEquals("yes", first.shell("/opt/bin/etcdctl.sh get --print-value-only kept"));
        }
    }

    /** Waits until all three machines wait for the same. */
    private static void all(Node node, String code) {
        Eventually.passes(LONG, () -> {
            var told = told(node, "status");
            assertEquals(3, told.lines().filter(line -> line.contains(code)).count(), told);
        });
    }
}
