package io.kjadm.core.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The API server's objects, as a port: the fabric8 client, a dry run that reads through and reports
 * writes, or memory. One call is one attempt; waiting and repeating is the caller's.
 *
 * <p>Every method throws {@link KubeApiException}.
 */
public interface KubeApi extends AutoCloseable {

    /**
     * Reads one object.
     *
     * @param namespace of the object, or empty text for cluster-wide kinds
     */
    <T extends HasMetadata> Optional<T> get(Class<T> type, String namespace, String name);

    /** Lists objects that carry all the labels. */
    <T extends HasMetadata> List<T> list(
            Class<T> type, String namespace, Map<String, String> labels);

    /** Creates an object; one that exists is an {@code ALREADY_EXISTS} failure. */
    <T extends HasMetadata> T create(T object);

    /** Replaces an existing object as a whole. */
    <T extends HasMetadata> T replace(T object);

    /**
     * Creates, or replaces what is there: user edits are lost, as in kubeadm.
     */
    default <T extends HasMetadata> T createOrReplace(T object) {
        try {
            return create(object);
        } catch (KubeApiException e) {
            if (e.kind() != KubeApiException.Kind.ALREADY_EXISTS) {
                throw e;
            }
            return replace(object);
        }
    }

    /** Reads an object, changes it and sends the difference as a strategic merge patch. */
    <T extends HasMetadata> T patch(
            Class<T> type, String namespace, String name, UnaryOperator<T> change);

    /** Removes an object; nothing happens if it is not there. */
    <T extends HasMetadata> void delete(Class<T> type, String namespace, String name);

    /** The text at a path outside the object tree, {@code /livez} for example. */
    String raw(String path);

    @Override
    void close();
}
