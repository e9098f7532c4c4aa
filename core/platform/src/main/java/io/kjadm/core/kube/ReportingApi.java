package io.kjadm.core.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.ManifestYaml;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Reads through to a real client and reports writes. Before the cluster exists there is nobody to
 * read from: then there is nothing to be found.
 */
record ReportingApi(KubeApi real, Reporter out) implements KubeApi {

    /** Stands for what only a server gives out. */
    private static final String NO_UID = "00000000-0000-0000-0000-000000000000";

    @Override
    public <T extends HasMetadata> Optional<T> get(Class<T> type, String namespace, String name) {
        return read(() -> real.get(type, namespace, name), Optional.empty());
    }

    @Override
    public <T extends HasMetadata> List<T> list(
            Class<T> type, String namespace, Map<String, String> labels) {
        return read(() -> real.list(type, namespace, labels), List.of());
    }

    @Override
    public <T extends HasMetadata> T create(T object) {
        if (object.getMetadata().getName() == null) {
            object.getMetadata().setName(object.getMetadata().getGenerateName() + "dry-run");
        }
        report("create", object);
        if (object.getMetadata().getUid() == null) {
            object.getMetadata().setUid(NO_UID);
        }
        return object;
    }

    @Override
    public <T extends HasMetadata> T replace(T object) {
        report("update", object);
        return object;
    }

    @Override
    public <T extends HasMetadata> T patch(
            Class<T> type, String namespace, String name, UnaryOperator<T> change) {
        T object = get(type, namespace, name)
                .orElseThrow(() -> new KubeApiException(
                        KubeApiException.Kind.NOT_FOUND,
                        "there is no %s %s".formatted(type.getSimpleName(), name),
                        null));
        T changed = change.apply(object);
        report("patch", changed);
        return changed;
    }

    @Override
    public <T extends HasMetadata> void delete(Class<T> type, String namespace, String name) {
        out.step(
                "dryrun",
                "Would delete %s %s%s".formatted(type.getSimpleName(), place(namespace), name));
    }

    @Override
    public String raw(String path) {
        return read(() -> real.raw(path), "ok");
    }

    @Override
    public void close() {
        real.close();
    }

    private static <A> A read(Supplier<A> request, A nothing) {
        try {
            return request.get();
        } catch (KubeApiException e) {
            if (e.kind() == KubeApiException.Kind.UNREACHABLE) {
                return nothing;
            }
            throw e;
        }
    }

    private void report(String verb, HasMetadata object) {
        String namespace = object.getMetadata().getNamespace() == null
                ? ""
                : object.getMetadata().getNamespace();
        out.step(
                "dryrun",
                "Would %s %s %s%s:"
                        .formatted(
                                verb,
                                object.getKind(),
                                place(namespace),
                                object.getMetadata().getName()));
        out.print(
                object instanceof Secret
                        ? "(content not shown)"
                        : ManifestYaml.write(object).stripTrailing());
    }

    private static String place(String namespace) {
        return namespace.isEmpty() ? "" : namespace + "/";
    }
}
