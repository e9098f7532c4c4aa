package io.kjadm.e2e;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;

/** The same with IPv6 alone: addresses, service network, and the URLs of etcd. */
@NeedsLab
@Tag("long")
final class Ipv6IT {
    @Test
    void twoControlPlaneNodesKnowEachOtherByTheirIpv6Addresses() {
        Assumptions.assumeTrue(
                Files.exists(Path.of("/proc/net/if_inet6")), "this machine has no IPv6");
        try (var lab = Lab.withIpv6Nodes(2)) {
            var cluster = new Cluster(lab, Settings.standard());
            cluster.init(Tool.KJADM);
            cluster.tryJoinControlPlaneFromFile(Tool.KJADM, lab.node(2), "").orFail();

            cluster.awaitReady(lab.node(1), lab.node(2));
            cluster.awaitControlPlanePods(lab.node(1), lab.node(2));
            cluster.assertVoters(lab.node(1), lab.node(2));
            var members = cluster.members(lab.node(1));
            assertTrue(
                    members.stream()
                            .anyMatch(member -> member.peerUrls()
                                    .equals("https://" + lab.node(2).at(2380))),
                    members::toString);
        }
    }
}
