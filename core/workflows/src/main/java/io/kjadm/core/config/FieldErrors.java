package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.value.GoDuration;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Collects what is wrong with the values of documents, so that the operator sees all of it in one
 * error. Views of one collection speak for different documents.
 */
final class FieldErrors {

    private final Set<String> errors;
    private final Document document;

    private FieldErrors(Set<String> errors, Document document) {
        this.errors = errors;
        this.document = document;
    }

    static FieldErrors none() {
        return new FieldErrors(new LinkedHashSet<>(), null);
    }

    /** The same collection, naming fields as this document does. */
    FieldErrors of(Document other) {
        return new FieldErrors(errors, other);
    }

    void invalid(String path, Object value, String detail) {
        errors.add(
                "%s: invalid value %s: %s".formatted(document.label(path), shown(value), detail));
    }

    /** Like {@link #invalid}, for values that must not be repeated. */
    void invalidSecret(String path, String detail) {
        errors.add("%s: invalid value (hidden): %s".formatted(document.label(path), detail));
    }

    void required(String path, String detail) {
        errors.add("%s: required value: %s".formatted(document.label(path), detail));
    }

    List<String> all() {
        return List.copyOf(errors);
    }

    /** Refuses what was collected, if anything was. */
    void throwIfAny(String source) {
        if (errors.isEmpty()) {
            return;
        }
        List<String> all = all();
        String why = all.size() == 1
                ? all.getFirst()
                : all.stream().collect(Collectors.joining(", ", "[", "]"));
        throw new UsageException("the configuration in %s is invalid".formatted(source), why, "");
    }

    /** A value as messages show it: text in quotes, lists and maps as JSON, numbers plain. */
    static String shown(Object value) {
        return switch (value) {
            case null -> "null";
            case List<?> list ->
                list.stream().map(FieldErrors::shown).collect(Collectors.joining(",", "[", "]"));
            case Map<?, ?> map ->
                map.entrySet().stream()
                        .map(entry ->
                                quoted(entry.getKey().toString()) + ":" + shown(entry.getValue()))
                        .collect(Collectors.joining(",", "{", "}"));
            case Number number -> number.toString();
            case Boolean flag -> flag.toString();
            case Duration duration -> GoDuration.text(duration);
            default -> quoted(value.toString());
        };
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }
}
