package io.kjadm.core.upgrade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** At which API server the kubelet of an upgraded node asks. */
class UpgradedKubeletTest extends UpgradeScene {

    private final long startsByInit = kubeletStarts();

    /** As older releases of kubeadm left it when a node joined. */
    @Test
    void aKubeletThatAsksAtTheControlPlaneEndpointAsksItsOwnApiServer() {
        node.kubeletServer("https://cluster.example:6443");

        node.apply();

        assertEquals("https://192.0.2.10:6443", node.kubeletServer());
        assertEquals(1, kubeletRestarts());
        assertUpgraded(node);
        node.apply();
        assertEquals(1, kubeletRestarts(), "it was as wanted");
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://192.0.2.10:6443", "https://somebodys.choice:8443"})
    void anotherServerOfTheKubeletStays(String url) {
        node.kubeletServer(url);

        node.apply();

        assertEquals(url, node.kubeletServer());
        assertEquals(0, kubeletRestarts());
    }

    @Test
    void aKubeletThatIsNotHealthyAtItsOwnApiServerAsksWhereItDid() {
        node.kubeletServer("https://cluster.example:6443");
        node.unfitServers.add("https://192.0.2.10:6443");

        failureOf(node);

        assertEquals("https://cluster.example:6443", node.kubeletServer());
        assertEquals(2, kubeletRestarts());
        node.unfitServers.clear();
        node.apply();
        assertEquals("https://192.0.2.10:6443", node.kubeletServer());
    }

    private long kubeletRestarts() {
        return kubeletStarts() - startsByInit;
    }

    private long kubeletStarts() {
        return node.lab.init.runner.commands().stream()
                .filter("systemctl restart kubelet"::equals)
                .count();
    }
}
