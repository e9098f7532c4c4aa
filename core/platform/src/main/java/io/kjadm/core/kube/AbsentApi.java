package io.kjadm.core.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** An API server with no objects that nothing is sent to: what a dry run asks before there is one. */
public class AbsentApi implements KubeApi {

    @Override
    public <T extends HasMetadata> Optional<T> get(Class<T> type, String namespace, String name) {
        return Optional.empty();
    }

    @Override
    public <T extends HasMetadata> List<T> list(
            Class<T> type, String namespace, Map<String, String> labels) {
        return List.of();
    }

    @Override
    public <T extends HasMetadata> T create(T object) {
        return object;
    }

    @Override
    public <T extends HasMetadata> T replace(T object) {
        return object;
    }

    @Override
    public <T extends HasMetadata> T patch(
            Class<T> type, String namespace, String name, UnaryOperator<T> change) {
        return change.apply(get(type, namespace, name)
                .orElseThrow(() -> new KubeApiException(
                        KubeApiException.Kind.NOT_FOUND,
                        "there is no %s %s".formatted(type.getSimpleName(), name),
                        null)));
    }

    @Override
    public <T extends HasMetadata> void delete(Class<T> type, String namespace, String name) {
        // there is nothing to delete
    }

    @Override
    public String raw(String path) {
        return "ok";
    }

    @Override
    public void close() {
        // no connection was opened
    }
}
