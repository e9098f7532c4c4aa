package io.kjadm.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Gives each node its part of the pods' addresses, as kube-controller-manager does. */
final class NodeSubnets {
    private static final String NODES = "/api/v1/nodes";

    private final ApiClient api;
    private final Flags flags;
    private final List<AddressRange> ranges;

    NodeSubnets(ApiClient api, Flags flags) {
        this.api = api;
        this.flags = flags;
        this.ranges = flags.find("allocate-node-cidrs").filter("true"::equals).stream()
                .flatMap(wanted -> flags.find("cluster-cidr").stream())
                .flatMap(cidrs -> Stream.of(cidrs.split(",")))
                .map(AddressRange::parse)
                .toList();
    }

    /** Nodes that have theirs keep it. */
    void give() throws IOException {
        if (ranges.isEmpty()) {
            return;
        }
        var nodes = api.get(NODES).orElseThrow().path("items");
        var taken = new HashSet<String>();
        nodes.forEach(node -> taken.add(subnet(node)));
        for (var node : nodes) {
            if (subnet(node).isEmpty()) {
                give(node.path("metadata").path("name").asText(), taken);
            }
        }
    }

    private void give(String node, Set<String> taken) throws IOException {
        long i = 0;
        while (!taken.add(ranges.getFirst().part(i, size(ranges.getFirst())))) {
            i++;
        }
        var patch = Json.object();
        var spec = patch.withObject("/spec");
        spec.put("podCIDR", ranges.getFirst().part(i, size(ranges.getFirst())));
        for (var range : ranges) {
            spec.withArray("/podCIDRs").add(range.part(i, size(range)));
        }
        api.patch(NODES + "/" + node, patch);
    }

    private int size(AddressRange range) {
        return flags.find("node-cidr-mask-size" + (range.ipv6() ? "-ipv6" : "-ipv4"))
                .or(() -> flags.find("node-cidr-mask-size"))
                .map(Integer::parseInt)
                .orElse(range.ipv6() ? 64 : 24);
    }

    private static String subnet(JsonNode node) {
        return node.path("spec").path("podCIDR").asText("");
    }
}
