package io.kjadm.core.preflight;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * All servers of an external etcd are of one cluster: an API server writes to whichever of them
 * answers.
 */
final class EtcdClusterCheck {

    private EtcdClusterCheck() {}

    /** @param clusterId of the cluster at an endpoint, empty if it does not tell */
    static Check of(List<URI> endpoints, Function<URI, Optional<String>> clusterId) {
        return Check.of("ExternalEtcdCluster", () -> findings(endpoints, clusterId));
    }

    private static List<Finding> findings(
            List<URI> endpoints, Function<URI, Optional<String>> clusterId) {
        var clusters = new LinkedHashMap<String, List<String>>();
        endpoints.forEach(endpoint -> clusterId
                .apply(endpoint)
                .ifPresent(id -> clusters.computeIfAbsent(id, _ -> new ArrayList<>())
                        .add(endpoint.toString())));
        return clusters.size() < 2
                ? List.of()
                : List.of(Finding.error(
                        "the endpoints of the external etcd belong to different clusters: %s; name those of one cluster in etcd.external.endpoints"
                                .formatted(clusters.entrySet().stream()
                                        .map(one -> "cluster ID %s: %s"
                                                .formatted(
                                                        one.getKey(),
                                                        String.join(", ", one.getValue())))
                                        .collect(Collectors.joining("; ")))));
    }
}
