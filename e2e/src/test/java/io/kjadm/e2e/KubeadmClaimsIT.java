package io.kjadm.e2e;

import io.kjadm.e2e.claims.Claim;
import io.kjadm.e2e.claims.KubeadmClaims;
import io.kjadm.e2e.cluster.Cluster;
import io.kjadm.e2e.cluster.Settings;
import io.kjadm.e2e.cluster.Tool;
import io.kjadm.e2e.lab.Lab;
import io.kjadm.e2e.lab.NeedsLab;
import io.kjadm.e2e.lab.Node;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

import java.util.stream.Stream;

/**
 * What kubeadm's own {@code test/e2e_kubeadm} claims of a cluster, of those that {@code kubeadm
 * init} and {@code kubeadm join} make where {@code kubeadm} is kjadm.
 */
@NeedsLab
@Tag("long")
final class KubeadmClaimsIT {
    private static final String BOTH_FAMILIES = """
            {podSubnet: "10.244.0.0/16,fd00:10:244::/56", \
            serviceSubnet: "10.96.0.0/16,fd00:10:96::/112"}""";

    private Lab lab;

    @AfterEach
    void end() {
        if (lab != null) {
            lab.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> claimsHoldForAControlPlaneAndAWorker() {
        return claims(2, Settings.standard());
    }

    @TestFactory
    Stream<DynamicTest> claimsHoldWithBothAddressFamilies() {
        return claims(1, Settings.standard().withNetworking(BOTH_FAMILIES));
    }

    private Stream<DynamicTest> claims(int nodes, Settings settings) {
        lab = Lab.withNodes(nodes);
        for (var node : lab.nodes()) {
            Tool.linkAsKubeadm(node);
            // a lab of IPv4 addresses does not forward the others
            node.shell("echo 1 > /proc/sys/net/ipv6/conf/default/forwarding");
        }
        var cluster = new Cluster(lab, settings);
        cluster.init(Tool.KUBEADM);
        lab.nodes().stream().skip(1).forEach(node -> cluster.joinWorker(Tool.KUBEADM, node));
        cluster.awaitReady(lab.nodes().toArray(Node[]::new));
        var client = cluster.client();
        return KubeadmClaims.of(client).stream().map(KubeadmClaimsIT::test).onClose(client::close);
    }

    private static DynamicTest test(Claim claim) {
        return DynamicTest.dynamicTest(claim.name(), claim.check());
    }
}
