package io.kjadm.core.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.kjadm.core.kube.KubeApiException.Kind;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * An API server in memory: objects go in and come out as copies, with a uid and a resource version,
 * and a write with an old resource version is a conflict. It does not validate.
 */
public final class MemoryKubeApi implements KubeApi {

    private record Key(Class<?> type, String namespace, String name) {}

    /** One for all of them: it finds out once how each type is copied, which takes its time. */
    private static final KubernetesSerialization COPIES = new KubernetesSerialization();

    private final Map<Key, HasMetadata> objects = new LinkedHashMap<>();
    private final Map<String, String> pages =
            new HashMap<>(Map.of("/livez", "ok", "/readyz", "ok", "/healthz", "ok"));
    private final Deque<Optional<KubeApiException>> answers = new ArrayDeque<>();
    private final List<String> calls = new ArrayList<>();
    private Optional<KubeApiException> down = Optional.empty();
    private boolean losesCreateAnswer;
    private long version;
    private boolean closed;

    /** With all objects of another one; for chains. */
    public MemoryKubeApi with(MemoryKubeApi other) {
        // neither hands out what it keeps, so both may keep the same
        objects.putAll(other.objects);
        version = Math.max(version, other.version);
        return this;
    }

    /** With an object; for chains. */
    public MemoryKubeApi with(HasMetadata object) {
        store(object);
        return this;
    }

    /** With a text outside the object tree; for chains. */
    public MemoryKubeApi withPage(String path, String text) {
        pages.put(path, text);
        return this;
    }

    /** The next so many calls fail; for chains. Several of these follow each other. */
    public MemoryKubeApi failing(int times, Kind kind) {
        for (int i = 0; i < times; i++) {
            answers.add(Optional.of(new KubeApiException(kind, "made to fail as " + kind, null)));
        }
        return this;
    }

    /** The next so many calls succeed, before a {@link #failing} that comes after; for chains. */
    public MemoryKubeApi answering(int times) {
        for (int i = 0; i < times; i++) {
            answers.add(Optional.empty());
        }
        return this;
    }

    /** Every call fails from now on; for chains. */
    public MemoryKubeApi down(Kind kind) {
        down = Optional.of(new KubeApiException(kind, "made to be " + kind, null));
        return this;
    }

    /** It answers again; for chains. */
    public MemoryKubeApi up() {
        down = Optional.empty();
        return this;
    }

    /** The next create is carried out, but its answer is lost on the way; for chains. */
    public MemoryKubeApi losingNextCreateAnswer() {
        losesCreateAnswer = true;
        return this;
    }

    /** {@code verb Kind namespace/name} of each call that got an answer, in order. */
    public List<String> calls() {
        return List.copyOf(calls);
    }

    /** Those of {@link #calls()} that change something. */
    public List<String> writes() {
        return calls.stream()
                .filter(call -> !call.startsWith("get ")
                        && !call.startsWith("list ")
                        && !call.startsWith("raw "))
                .toList();
    }

    /** All objects, sorted by kind, namespace and name; copies. */
    public List<HasMetadata> objects() {
        return objects.values().stream()
                .sorted(Comparator.comparing((HasMetadata object) -> object.getKind())
                        .thenComparing(object -> text(object.getMetadata().getNamespace()))
                        .thenComparing(object -> object.getMetadata().getName()))
                .map(COPIES::clone)
                .toList();
    }

    /** Whether {@link #close()} was called. */
    public boolean closed() {
        return closed;
    }

    @Override
    public <T extends HasMetadata> Optional<T> get(Class<T> type, String namespace, String name) {
        answer("get", type, namespace, name);
        return stored(type, namespace, name);
    }

    @Override
    public <T extends HasMetadata> List<T> list(
            Class<T> type, String namespace, Map<String, String> labels) {
        answer("list", type, namespace, "");
        return objects.entrySet().stream()
                .filter(entry -> entry.getKey().type().equals(type))
                .filter(entry ->
                        namespace.isEmpty() || entry.getKey().namespace().equals(namespace))
                .filter(entry ->
                        labelsOf(entry.getValue()).entrySet().containsAll(labels.entrySet()))
                .map(entry -> COPIES.clone(type.cast(entry.getValue())))
                .toList();
    }

    @Override
    public <T extends HasMetadata> T create(T object) {
        Key key = key(object);
        answer("create", key.type(), key.namespace(), key.name());
        if (objects.containsKey(key)) {
            throw new KubeApiException(
                    Kind.ALREADY_EXISTS, "%s already exists".formatted(key.name()), null);
        }
        T made = store(object);
        if (losesCreateAnswer) {
            losesCreateAnswer = false;
            throw new KubeApiException(Kind.UNREACHABLE, "the answer was lost", null);
        }
        return made;
    }

    @Override
    public <T extends HasMetadata> T replace(T object) {
        Key key = key(object);
        answer("replace", key.type(), key.namespace(), key.name());
        HasMetadata before = objects.get(key);
        if (before == null) {
            throw missing(key);
        }
        String given = object.getMetadata().getResourceVersion();
        boolean unconditional = given == null || given.equals("0");
        if (!unconditional && !given.equals(before.getMetadata().getResourceVersion())) {
            throw new KubeApiException(
                    Kind.CONFLICT, "%s was changed in between".formatted(key.name()), null);
        }
        return store(object);
    }

    @Override
    public <T extends HasMetadata> T patch(
            Class<T> type, String namespace, String name, UnaryOperator<T> change) {
        answer("patch", type, namespace, name);
        T before = stored(type, namespace, name)
                .orElseThrow(() -> missing(new Key(type, namespace, name)));
        return store(change.apply(before));
    }

    @Override
    public <T extends HasMetadata> void delete(Class<T> type, String namespace, String name) {
        answer("delete", type, namespace, name);
        objects.remove(new Key(type, namespace, name));
    }

    @Override
    public String raw(String path) {
        answers("raw " + path);
        return Optional.ofNullable(pages.get(path))
                .orElseThrow(() ->
                        new KubeApiException(Kind.NOT_FOUND, "there is nothing at " + path, null));
    }

    @Override
    public void close() {
        closed = true;
    }

    private void answer(String verb, Class<?> type, String namespace, String name) {
        answers("%s %s %s%s"
                .formatted(
                        verb,
                        type.getSimpleName(),
                        namespace.isEmpty() ? "" : namespace + "/",
                        name));
    }

    private void answers(String call) {
        if (down.isPresent()) {
            throw down.get();
        }
        Optional<KubeApiException> failure =
                answers.isEmpty() ? Optional.empty() : answers.remove();
        failure.ifPresent(refusal -> {
            throw refusal;
        });
        calls.add(call);
    }

    private <T extends HasMetadata> Optional<T> stored(
            Class<T> type, String namespace, String name) {
        return Optional.ofNullable(objects.get(new Key(type, namespace, name)))
                .map(object -> COPIES.clone(type.cast(object)));
    }

    private <T extends HasMetadata> T store(T object) {
        T copy = COPIES.clone(object);
        HasMetadata before = objects.get(key(object));
        copy.getMetadata()
                .setUid(
                        before == null
                                ? "uid-" + ++version
                                : before.getMetadata().getUid());
        copy.getMetadata().setResourceVersion(String.valueOf(++version));
        objects.put(key(copy), copy);
        return COPIES.clone(copy);
    }

    private static Key key(HasMetadata object) {
        return new Key(
                object.getClass(),
                text(object.getMetadata().getNamespace()),
                object.getMetadata().getName());
    }

    private static Map<String, String> labelsOf(HasMetadata object) {
        Map<String, String> labels = object.getMetadata().getLabels();
        return labels == null ? Map.of() : labels;
    }

    private static String text(String namespace) {
        return namespace == null ? "" : namespace;
    }

    private static KubeApiException missing(Key key) {
        return new KubeApiException(Kind.NOT_FOUND, "there is no %s".formatted(key.name()), null);
    }
}
