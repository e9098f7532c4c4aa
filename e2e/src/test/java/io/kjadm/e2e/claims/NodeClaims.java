package io.kjadm.e2e.claims;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Service;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code controlplane_nodes_test.go}, {@code nodes_test.go} and {@code networking_test.go}. The last
 * one has a cluster of one address family or of both; a claim about the other is skipped there, too.
 */
record NodeClaims(Objects objects) {
    private static final String CONTROL_PLANE = "node-role.kubernetes.io/control-plane";
    private static final String CRI_SOCKET = "kubeadm.alpha.kubernetes.io/cri-socket";

    List<Claim> all() {
        var subnets = " should be properly configured if specified in kubeadm-config";
        return List.of(
                new Claim(
                        "control-plane node should be labelled and tainted [multi-node]",
                        this::controlPlanesAreTainted),
                new Claim("nodes should have CRI annotation", this::socketsAreAnnotated),
                new Claim(
                        "networking [setup-networking] single-stack podSubnet" + subnets,
                        () -> podSubnetsHoldThoseOfNodes(1)),
                new Claim(
                        "networking [setup-networking] single-stack serviceSubnet" + subnets,
                        this::serviceSubnetHoldsKubernetes),
                new Claim(
                        "networking [setup-networking] dual-stack podSubnet" + subnets,
                        () -> podSubnetsHoldThoseOfNodes(2)));
    }

    private void controlPlanesAreTainted() {
        var controlPlanes = nodes().stream()
                .filter(node -> node.getMetadata().getLabels().containsKey(CONTROL_PLANE))
                .toList();
        assertFalse(controlPlanes.isEmpty(), "nodes with the label " + CONTROL_PLANE);
        controlPlanes.forEach(node -> assertTrue(
                node.getSpec().getTaints().stream()
                        .anyMatch(taint -> taint.getKey().equals(CONTROL_PLANE)
                                && taint.getEffect().equals("NoSchedule")),
                () -> "taints of " + node.getMetadata().getName()));
    }

    /** Where the kubelet's instance configuration has the socket, the node need not have it. */
    private void socketsAreAnnotated() {
        var gates = objects.section("featureGates");
        if (!Boolean.FALSE.equals(gates.get("NodeLocalCRISocket"))) {
            return;
        }
        nodes().forEach(node -> assertTrue(
                Optional.ofNullable(node.getMetadata().getAnnotations())
                        .orElse(Map.of())
                        .getOrDefault(CRI_SOCKET, "")
                        .startsWith("unix://"),
                () -> "annotation of " + node.getMetadata().getName()));
    }

    private void podSubnetsHoldThoseOfNodes(int families) {
        var configured = subnets("podSubnet");
        assumeTrue(configured.size() == families, () -> "the pod subnets are " + configured);
        for (var node : nodes()) {
            var given = node.getSpec().getPodCIDRs();
            assertEquals(families, given.size(), node.getMetadata().getName());
            given.forEach(subnet -> assertTrue(
                    configured.stream().anyMatch(whole -> whole.holds(Subnet.parse(subnet))),
                    () -> "%s of %s".formatted(subnet, node.getMetadata().getName())));
        }
    }

    private void serviceSubnetHoldsKubernetes() {
        var configured = subnets("serviceSubnet");
        assumeTrue(configured.size() == 1, () -> "the service subnets are " + configured);
        var address =
                objects.get(Service.class, "default", "kubernetes").getSpec().getClusterIP();
        assertTrue(configured.getFirst().holds(Subnet.parse(address)), address);
    }

    private List<Subnet> subnets(String field) {
        return objects.section("networking").get(field) instanceof String text
                ? Stream.of(text.split(",")).map(Subnet::parse).toList()
                : List.of();
    }

    private List<Node> nodes() {
        return objects.client().nodes().list().getItems();
    }
}
