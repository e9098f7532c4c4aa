package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.ConfigMap;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * The mark of a generated component configuration: a hash over the values of its ConfigMap. A mark
 * that matches means "may be generated again", a missing or different one "edited by the operator,
 * keep".
 */
public final class ComponentConfigHash {

    /** Where the hash stands. */
    public static final String ANNOTATION = "kubeadm.kubernetes.io/component-config.hash";

    private ComponentConfigHash() {}

    /**
     * {@code sha256:} and the hash of all values in the order of their keys, text before binary.
     */
    public static String of(ConfigMap map) {
        MessageDigest digest = sha256();
        sorted(map.getData())
                .values()
                .forEach(value -> digest.update(value.getBytes(StandardCharsets.UTF_8)));
        sorted(map.getBinaryData())
                .values()
                .forEach(value -> digest.update(Base64.getDecoder().decode(value)));
        return "sha256:" + HexFormat.of().formatHex(digest.digest());
    }

    /** Whether the map carries the mark that its content deserves. */
    public static boolean isGenerated(ConfigMap map) {
        Map<String, String> annotations =
                map.getMetadata() == null ? null : map.getMetadata().getAnnotations();
        return annotations != null && of(map).equals(annotations.get(ANNOTATION));
    }

    static ConfigMap mark(ConfigMap map) {
        return map.edit()
                .editMetadata()
                .addToAnnotations(ANNOTATION, of(map))
                .endMetadata()
                .build();
    }

    private static Map<String, String> sorted(Map<String, String> values) {
        return values == null ? Map.of() : new TreeMap<>(values);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
