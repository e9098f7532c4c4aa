package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.Test;

/** An etcd of somebody else's: nobody gets a member, everybody is a client. */
@NeedsLab
final class ExternalEtcdIT {
    @Test
    void twoControlPlaneNodesShareAnExternalEtcd() {
        try (var lab = Lab.withNodes(3)) {
            var etcd = startEtcd(lab.node(3));
            var cluster = new Cluster(
                    lab,
                    Settings.standard().withEtcd("{external: {endpoints: [\"" + etcd + "\"]}}"));
            cluster.init(Tool.KJADM);
            cluster.joinControlPlane(Tool.KJADM, lab.node(2));

            cluster.awaitReady(lab.node(1), lab.node(2));
            cluster.awaitControlPlanePods(lab.node(1), lab.node(2));
            assertFalse(lab.node(1).exists(Node.ETCD_MANIFEST));
            assertFalse(lab.node(2).exists(Node.ETCD_MANIFEST));
        }
    }

    /** Starts one on a node; its URL. */
    static String startEtcd(Node node) {
        var url = "http://" + node.address() + ":2379";
        node.shell("setsid etcd --data-dir /var/lib/etcd/external --listen-client-urls " + url
                + " --advertise-client-urls " + url + " > /var/log/etcd.log 2>&1 < /dev/null &");
        return url;
    }
}
