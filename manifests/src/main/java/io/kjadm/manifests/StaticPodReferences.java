package io.kjadm.manifests;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The API objects that a pod refers to. The kubelet does not run a static pod that has any: since
 * Kubernetes 1.34 unless the gate PreventStaticPodAPIReferences is off, since 1.37 in any case
 * ({@code HasAPIObjectReference} in {@code pkg/api/pod/util.go}).
 */
public final class StaticPodReferences {

    /** The minor of Kubernetes 1 whose kubelet has no gate any more that lets such pods run. */
    public static final int REFUSED_SINCE_MINOR = 37;

    private static final Set<String> OF_THE_POD =
            Set.of("imagePullSecrets", "resourceClaims", "serviceAccount", "serviceAccountName");
    private static final Set<String> OF_A_VARIABLE = Set.of("configMapKeyRef", "secretKeyRef");
    private static final Set<String> OF_ALL_VARIABLES = Set.of("configMapRef", "secretRef");
    private static final Set<String> OF_A_VOLUME = Set.of(
            "azureFile",
            "configMap",
            "csi",
            "ephemeral",
            "glusterfs",
            "persistentVolumeClaim",
            "secret");
    private static final Set<String> OF_A_PROJECTION = Set.of(
            "clusterTrustBundle", "configMap", "podCertificate", "secret", "serviceAccountToken");

    private StaticPodReferences() {}

    /**
     * What a pod has of them, each as {@code serviceAccountName}, {@code secretKeyRef of container
     * etcd} or {@code secret of volume certs}.
     *
     * @param manifest the pod as YAML
     * @throws ManifestException if it is no YAML object
     */
    public static List<String> of(String manifest) {
        Map<?, ?> spec = map(ManifestYaml.readObject(manifest).get("spec"));
        List<String> found = new ArrayList<>(present(spec, OF_THE_POD).toList());
        Stream.of("initContainers", "containers")
                .flatMap(list -> maps(spec.get(list)))
                .forEach(container -> variables(container)
                        .map(key -> "%s of container %s".formatted(key, container.get("name")))
                        .forEach(found::add));
        maps(spec.get("volumes"))
                .forEach(volume -> volume(volume)
                        .map(key -> "%s of volume %s".formatted(key, volume.get("name")))
                        .forEach(found::add));
        return found.stream().distinct().toList();
    }

    private static Stream<String> variables(Map<?, ?> container) {
        return Stream.concat(
                maps(container.get("env"))
                        .flatMap(
                                variable -> present(map(variable.get("valueFrom")), OF_A_VARIABLE)),
                maps(container.get("envFrom"))
                        .flatMap(source -> present(source, OF_ALL_VARIABLES)));
    }

    private static Stream<String> volume(Map<?, ?> volume) {
        Stream<String> credentials = volume.values().stream()
                .flatMap(source -> present(map(source), Set.of("secretRef")));
        Stream<String> projected = maps(map(volume.get("projected")).get("sources"))
                .flatMap(source -> present(source, OF_A_PROJECTION));
        return Stream.of(present(volume, OF_A_VOLUME), credentials, projected)
                .flatMap(found -> found);
    }

    /** The keys that are set to something, by name. */
    private static Stream<String> present(Map<?, ?> tree, Set<String> keys) {
        return keys.stream()
                .sorted()
                .filter(key -> tree.get(key) != null)
                .filter(key -> !"".equals(tree.get(key)) && !List.of().equals(tree.get(key)));
    }

    private static Map<?, ?> map(Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    private static Stream<Map<?, ?>> maps(Object value) {
        return value instanceof List<?> list
                ? list.stream().map(StaticPodReferences::map)
                : Stream.empty();
    }
}
