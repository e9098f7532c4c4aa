package io.kjadm.core.config;

import io.kjadm.core.feature.RemovedGate;

import java.util.Map;
import java.util.function.Consumer;

/**
 * Takes removed feature gates out of a ClusterConfiguration that a cluster has stored: it was
 * accepted by the program of that time. What a gate chose and can still be chosen goes to the field
 * that took its place.
 */
final class StoredGates {

    private static final String GATES = "featureGates";

    private StoredGates() {}

    /** The document without removed gates; each is told once. */
    static Document withoutRemoved(Document cluster, Consumer<String> warnings) {
        Map<String, Object> tree = YamlTrees.thaw(cluster.tree());
        if (!(tree.get(GATES) instanceof Map<?, ?> gates)) {
            return cluster;
        }
        Map<String, Object> kept = YamlTrees.thaw(YamlTrees.map(gates));
        for (RemovedGate gate : RemovedGate.values()) {
            Object chosen = kept.remove(gate.key());
            if (chosen != null) {
                warnings.accept(
                        "feature gate %s of the stored configuration is ignored, it was removed in %s%s"
                                .formatted(
                                        gate.key(),
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
