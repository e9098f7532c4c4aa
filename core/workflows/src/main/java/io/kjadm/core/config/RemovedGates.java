package io.kjadm.core.config;

import io.kjadm.core.feature.RemovedGate;
import io.kjadm.core.value.KubernetesVersion;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Takes feature gates out of a ClusterConfiguration that was right where it was written: in a
 * cluster that has stored it, or in a file for a release that has the gate. What a gate chose and
 * can still be chosen goes to the field that took its place.
 */
final class RemovedGates {

    private static final String GATES = "featureGates";

    private RemovedGates() {}

    /** A stored document without removed gates; each is told once. */
    static Document ofStored(Document cluster, Consumer<String> warnings) {
        return without(
                cluster, List.of(RemovedGate.values()), " of the stored configuration", warnings);
    }

    /**
     * A file's document without the gates that the release has which it names, as kubeadm of that
     * release reads it; each is told once.
     */
    static Document ofFile(Document cluster, Consumer<String> warnings) {
        Optional<KubernetesVersion> version = Optional.ofNullable(
                        cluster.tree().get("kubernetesVersion"))
                .flatMap(text -> KubernetesVersion.parse(text.toString()));
        List<RemovedGate> known = Arrays.stream(RemovedGate.values())
                .filter(gate -> version.filter(named ->
                                !named.minorAtLeast(KubernetesVersion.of(gate.release() + ".0")))
                        .isPresent())
                .toList();
        return without(cluster, known, "", warnings);
    }

    private static Document without(
            Document cluster, List<RemovedGate> removed, String where, Consumer<String> warnings) {
        Map<String, Object> tree = YamlTrees.thaw(cluster.tree());
        if (!(tree.get(GATES) instanceof Map<?, ?> gates)
                || removed.stream().noneMatch(gate -> gates.containsKey(gate.key()))) {
            return cluster;
        }
        Map<String, Object> kept = YamlTrees.thaw(YamlTrees.map(gates));
        for (RemovedGate gate : removed) {
            Object chosen = kept.remove(gate.key());
            if (chosen != null) {
                warnings.accept("feature gate %s%s is ignored, it was removed in %s%s"
                        .formatted(
                                gate.key(),
                                where,
                                gate.release(),
                                carriedOver(gate, chosen, tree)));
            }
        }
        tree.put(GATES, kept);
        return cluster.inCurrentVersion(tree);
    }

    private static String carriedOver(RemovedGate gate, Object chosen, Map<String, Object> tree) {
        return switch (gate) {
            case NODE_LOCAL_CRI_SOCKET -> " and is always on";
            case PUBLIC_KEYS_ECDSA -> {
                EncryptionAlgorithm algorithm = Boolean.TRUE.equals(chosen)
                        ? EncryptionAlgorithm.ECDSA_P256
                        : EncryptionAlgorithm.RSA_2048;
                tree.put("encryptionAlgorithm", algorithm.text());
                yield "; encryptionAlgorithm %s takes its place".formatted(algorithm.text());
            }
        };
    }
}
