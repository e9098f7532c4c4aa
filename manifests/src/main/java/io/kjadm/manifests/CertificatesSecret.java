package io.kjadm.manifests;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;

import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

/**
 * The Secret with the uploaded certificates, each value encrypted by the caller. It belongs to a
 * token that expires: once that is removed, the cluster removes this Secret too.
 */
public final class CertificatesSecret {

    /** Name of the Secret, in {@code kube-system}. */
    public static final String NAME = "kubeadm-certs";

    private CertificatesSecret() {}

    /** The Secret of a bootstrap token, as the API server knows it. */
    public record Owner(String name, String uid) {}

    /** The object to write; an empty value stands for a file that is not there. */
    public static Secret build(Map<String, byte[]> encrypted, Owner owner) {
        var data = new TreeMap<String, String>();
        encrypted.forEach((key, value) -> data.put(key, Base64.getEncoder().encodeToString(value)));
        return new SecretBuilder()
                .withNewMetadata()
                .withNamespace(KubeSystem.NAMESPACE)
                .withName(NAME)
                .addNewOwnerReference()
                .withApiVersion("v1")
                .withKind("Secret")
                .withName(owner.name())
                .withUid(owner.uid())
                .withController(true)
                .withBlockOwnerDeletion(true)
                .endOwnerReference()
                .endMetadata()
                .withType("Opaque")
                .withData(data)
                .build();
    }

    /**
     * The encrypted values.
     *
     * @throws ManifestException if one is not base64
     */
    public static Map<String, byte[]> encryptedValues(Secret secret) {
        var values = new TreeMap<String, byte[]>();
        Map<String, String> data = secret.getData() == null ? Map.of() : secret.getData();
        data.forEach((key, value) -> values.put(key, decoded(key, value)));
        return values;
    }

    private static byte[] decoded(String key, String value) {
        try {
            return value == null ? new byte[0] : Base64.getDecoder().decode(value);
        } catch (IllegalArgumentException e) {
            throw new ManifestException("Secret %s: %s is not base64".formatted(NAME, key), e);
        }
    }
}
