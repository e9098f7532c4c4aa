package io.kjadm.manifests;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which lists a strategic merge patch merges item by item, and by which field of the items; all
 * other lists are replaced as a whole. Field names are enough to tell them: within pods and
 * Deployments none means two kinds of list.
 */
enum MergeKeys {

    /** Pods, and what has a pod template. */
    WORKLOAD(
            Map.ofEntries(
                    Map.entry("containers", "name"),
                    Map.entry("initContainers", "name"),
                    Map.entry("ephemeralContainers", "name"),
                    Map.entry("volumes", "name"),
                    Map.entry("env", "name"),
                    Map.entry("ports", "containerPort"),
                    Map.entry("volumeMounts", "mountPath"),
                    Map.entry("volumeDevices", "devicePath"),
                    Map.entry("imagePullSecrets", "name"),
                    Map.entry("hostAliases", "ip"),
                    Map.entry("topologySpreadConstraints", "topologyKey"),
                    Map.entry("resourceClaims", "name"),
                    Map.entry("schedulingGates", "name"),
                    Map.entry("ownerReferences", "uid"),
                    Map.entry("conditions", "type")),
            Set.of("finalizers")),

    /** Types that declare none. */
    NONE(Map.of(), Set.of());

    private final Map<String, String> keys;
    private final Set<String> mergedPrimitives;

    MergeKeys(Map<String, String> keys, Set<String> mergedPrimitives) {
        this.keys = keys;
        this.mergedPrimitives = mergedPrimitives;
    }

    Optional<String> keyOf(String list) {
        return Optional.ofNullable(keys.get(list));
    }

    /** Whether the plain values of this list are united. */
    boolean mergesPrimitives(String list) {
        return mergedPrimitives.contains(list);
    }
}
