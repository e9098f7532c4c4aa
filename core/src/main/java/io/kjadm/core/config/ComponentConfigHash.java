package io.kjadm.core.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tells whether the content of a component's ConfigMap is as it was generated. Only generated
 * content carries the annotation; editing it by hand breaks the hash, which makes it the user's.
 */
public final class ComponentConfigHash {

    /** The annotation that holds the hash. */
    public static final String ANNOTATION = "kubeadm.kubernetes.io/component-config.hash";

    private ComponentConfigHash() {
    }

    /** {@code sha256:} and the digest of all values, in the order of their keys. */
    public static String of(Map<String, String> data) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            new TreeMap<>(data).values()
                    .forEach(value -> digest.update(value.getBytes(StandardCharsets.UTF_8)));
            return "sha256:" + HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Whether somebody wrote or edited the content, given the ConfigMap's annotations. */
    public static boolean userSupplied(Map<String, String> data, Map<String, String> annotations) {
        return !of(data).equals(annotations.get(ANNOTATION));
    }
}
