package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Components;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.stream.Collectors;

/** etcd gets a new CA on three nodes at once, while clients write. */
@NeedsLab
final class RotateCaIT {
    private static final Duration LONG = Duration.ofMinutes(20);
    private static final String CA = "/etc/kubernetes/pki/etcd/ca.crt";

    /**
     * One key after the other, by whichever member serves, with the certificates of the moment. A
     * write fails if it was not taken within 10 seconds; what was on its way to a member that ends,
     * hands over leadership, or says nothing for 5 seconds, is sent again.
     */
    private static final String WRITER = """
            cd /etc/kubernetes/pki/etcd; n=0; again=0; failed=0
            put() {
                etcdctl --endpoints=%s --cacert=ca.crt --cert=healthcheck-client.crt --key=healthcheck-client.key \
                    --command-timeout=5s put /writer/$n $n > /dev/null 2>> /root/failures
            }
            while [ ! -e /root/stop ]; do
                until=$((SECONDS + 10))
                until put; do
                    again=$((again + 1))
                    [ $SECONDS -lt $until ] || { failed=$((failed + 1)); break; }
                done
                n=$((n + 1))
                sleep 0.1
            done
            echo "$n $again $failed" > /root/written
            """;

    @BeforeAll
    static void needsContainers() {
        assumeTrue(
                Components.atHand() == Components.REAL,
                "components are restarted through a container runtime, which a sandbox has not");
    }

    @Test
    void threeNodesAtOnceAndAWriterSeesNoFailedWrite() {
        try (var lab = Lab.withNodes(3)) {
            var cluster = new Cluster(lab, Settings.standard());
            cluster.init(Tool.KJADM);
            cluster.joinControlPlane(Tool.KJADM, lab.node(2));
            cluster.joinControlPlane(Tool.KJADM, lab.node(3));
            cluster.awaitReady(lab.nodes().toArray(Node[]::new));
            var former = lab.node(1).read(CA);
            var endpoints = lab.nodes().stream()
                    .map(node -> "https://" + node.at(2379))
                    .collect(Collectors.joining(","));
            var writer = lab.node(1).start(LONG, "bash", "-c", WRITER.formatted(endpoints));
            var begun = System.nanoTime();

            var key = lab.node(1).shell("kjadm certs certificate-key");
            var runs = lab.nodes().stream()
                    .map(node -> node.start(
                            LONG,
                            "env",
                            "KJADM_CERTIFICATE_KEY=" + key,
                            "kjadm",
                            "etcd",
                            "certs",
                            "rotate-ca",
                            "--yes",
                            "--timeout=15m"))
                    .toList();
            runs.forEach(run -> run.outcome().orFail());

            System.out.printf(
                    "[rotate-ca] three nodes: %.1f s%n", (System.nanoTime() - begun) / 1e9);
            lab.node(1).shell("touch /root/stop");
            writer.outcome().orFail();
            var written = lab.node(1).read("/root/written").strip().split(" ");
            System.out.printf(
                    "[rotate-ca] %s writes, %s sent again, %s failed%n",
                    written[0], written[1], written[2]);
            assertEquals("0", written[2], () -> lab.node(1).shell("cat /root/failures"));
            assertEquals(
                    written[0],
                    cluster.etcdctl(
                                    lab.node(3),
                                    "get /writer/ --prefix --count-only --write-out=fields")
                            .stdout()
                            .lines()
                            .filter(line -> line.startsWith("\"Count\""))
                            .map(line -> line.replaceAll("\\D", ""))
                            .findFirst()
                            .orElseThrow());
            var now = lab.node(1).read(CA);
            assertNotEquals(former, now);
            for (var node : lab.nodes()) {
                assertEquals(now, node.read(CA));
                assertEquals(1, now.split("BEGIN", -1).length - 1);
                node.shell(
                        "cd /etc/kubernetes/pki && openssl verify -CAfile etcd/ca.crt etcd/server.crt etcd/peer.crt etcd/healthcheck-client.crt apiserver-etcd-client.crt");
            }
            cluster.awaitReady(lab.nodes().toArray(Node[]::new));
            cluster.assertVoters(lab.nodes().toArray(Node[]::new));
            assertTrue(cluster.etcdctl(
                            lab.node(1), "get /kjadm.io/etcd/ca-rotation/ --prefix --keys-only")
                    .stdout()
                    .isBlank());
        }
    }
}
