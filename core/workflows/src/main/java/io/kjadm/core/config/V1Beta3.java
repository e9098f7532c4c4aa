package io.kjadm.core.config;

import io.kjadm.core.value.Timeouts;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Turns checked v1beta3 trees into the shape of v1beta4; both have the same meaning then. */
final class V1Beta3 {

    private static final List<List<String>> ARGUMENTS = List.of(
            List.of("nodeRegistration", "kubeletExtraArgs"),
            List.of("apiServer", "extraArgs"),
            List.of("controllerManager", "extraArgs"),
            List.of("scheduler", "extraArgs"),
            List.of("etcd", "local", "extraArgs"));

    private V1Beta3() {}

    /** The tree of a v1beta4 document of the same kind. */
    static Map<String, Object> toV1Beta4(Map<String, Object> tree) {
        Map<String, Object> changed = YamlTrees.thaw(tree);
        for (List<String> path : ARGUMENTS) {
            String[] keys = path.toArray(String[]::new);
            YamlTrees.at(changed, keys).ifPresent(args -> YamlTrees.put(changed, list(args), keys));
        }
        move(changed, List.of("discovery", "timeout"), "discovery");
        // Named in v1beta3's ClusterConfiguration, but a matter of InitConfiguration since.
        move(
                changed,
                List.of("apiServer", "timeoutForControlPlane"),
                "controlPlaneComponentHealthCheck");
        return changed;
    }

    /**
     * The limits with the one that v1beta3 has in ClusterConfiguration, unless that says nothing
     * beyond the default.
     *
     * @param cluster a ClusterConfiguration that {@link #toV1Beta4} has been applied to
     */
    static Timeouts timeouts(Document cluster, Timeouts timeouts) {
        Duration usual = Timeouts.DEFAULTS.controlPlaneComponentHealthCheck();
        return YamlTrees.at(cluster.tree(), "timeouts", "controlPlaneComponentHealthCheck")
                .map(Duration.class::cast)
                .filter(limit -> !limit.isZero() && !limit.equals(usual))
                .map(timeouts::withControlPlaneComponentHealthCheck)
                .orElse(timeouts);
    }

    private static List<Map<String, Object>> list(Object args) {
        return new TreeMap<>(YamlTrees.map(args))
                .entrySet().stream()
                        .map(arg -> Map.<String, Object>of(
                                "name", arg.getKey(), "value", arg.getValue()))
                        .toList();
    }

    private static void move(Map<String, Object> tree, List<String> from, String timeout) {
        YamlTrees.at(tree, from.toArray(String[]::new)).ifPresent(limit -> {
            YamlTrees.map(tree.get(from.getFirst())).remove(from.getLast());
            YamlTrees.put(tree, limit, "timeouts", timeout);
        });
    }
}
