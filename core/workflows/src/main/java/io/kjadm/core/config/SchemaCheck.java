package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.value.GoDuration;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds a document's tree against the schema of its kind. Fields the schema does not have become
 * findings and are left out; values of the wrong type are refused at once. What is left has only
 * known fields, no nulls, and durations and times as objects, so the readers need not ask again.
 */
final class SchemaCheck {

    private final Document document;
    private final List<String> findings = new ArrayList<>();

    SchemaCheck(Document document) {
        this.document = document;
    }

    /** The checked tree. */
    Map<String, Object> tree(Schema.Fields schema) {
        document.duplicates()
                .forEach(path ->
                        findings.add("%s in %s: field given more than once, the last value counts"
                                .formatted(document.label(path), document.source())));
        Schema.Fields withHead = schema.and(Schema.Scalar.STRING, "apiVersion kind");
        Map<String, Object> tree = object(withHead, document.tree(), "");
        tree.remove("apiVersion");
        tree.remove("kind");
        return tree;
    }

    /** Sentences about what was not as it should be. */
    List<String> findings() {
        return findings;
    }

    private Object value(Schema schema, Object value, String path) {
        return switch (schema) {
            case Schema.Fields fields -> object(fields, value, path);
            case Schema.ListOf list -> list(list, value, path);
            case Schema.MapOf map -> map(map, value, path);
            case Schema.Scalar scalar -> scalar(scalar, value, path);
        };
    }

    private Map<String, Object> object(Schema.Fields schema, Object value, String path) {
        Map<String, Object> known = new LinkedHashMap<>();
        mapping(value, path).forEach((name, field) -> {
            Schema fieldSchema = schema.fields().get(name);
            String here = join(path, name);
            if (fieldSchema == null) {
                findings.add("%s in %s: unknown field%s"
                        .formatted(document.label(here), document.source(), similar(schema, name)));
            } else if (field != null) {
                known.put(name, value(fieldSchema, field, here));
            }
        });
        return known;
    }

    private static String similar(Schema.Fields schema, String name) {
        return schema.fields().keySet().stream()
                .filter(name::equalsIgnoreCase)
                .findFirst()
                .map(" (names are case-sensitive: %s)"::formatted)
                .orElse("");
    }

    private List<Object> list(Schema.ListOf schema, Object value, String path) {
        if (!(value instanceof List<?> items)) {
            throw wrong(path, value, "a list");
        }
        List<Object> checked = new ArrayList<>();
        for (Object item : items) {
            Object given = item == null ? zero(schema.item()) : item;
            checked.add(value(schema.item(), given, join(path, String.valueOf(checked.size()))));
        }
        return checked;
    }

    private Map<String, Object> map(Schema.MapOf schema, Object value, String path) {
        Map<String, Object> checked = new LinkedHashMap<>();
        mapping(value, path).forEach((key, entry) -> {
            if (schema.value() == Schema.Scalar.ANY) {
                checked.put(key, entry);
                return;
            }
            Object given = entry == null ? zero(schema.value()) : entry;
            checked.put(key, value(schema.value(), given, join(path, key)));
        });
        return checked;
    }

    private Map<String, Object> mapping(Object value, String path) {
        if (!(value instanceof Map<?, ?> map)) {
            throw wrong(path, value, "an object with fields");
        }
        return YamlTrees.map(map);
    }

    private Object scalar(Schema.Scalar schema, Object value, String path) {
        Object typed = switch (schema) {
            case ANY -> value;
            case STRING -> value instanceof String ? value : null;
            case BOOL -> value instanceof Boolean ? value : null;
            case INT ->
                value instanceof Long number && number == number.intValue()
                        ? (Object) number.intValue()
                        : null;
            case NUMBER -> value instanceof Number ? value : null;
            case DURATION ->
                value instanceof String text ? GoDuration.parse(text).orElse(null) : null;
            case TIMESTAMP -> value instanceof String text ? instant(text) : null;
        };
        if (typed == null) {
            throw wrong(path, value, schema.expectation());
        }
        return typed;
    }

    private static Instant instant(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** What a null stands for within a list or a map. */
    private static Object zero(Schema schema) {
        return switch (schema) {
            case Schema.Fields fields -> Map.of();
            case Schema.MapOf map -> Map.of();
            case Schema.ListOf list -> List.of();
            case Schema.Scalar scalar ->
                switch (scalar) {
                    case STRING, ANY -> "";
                    case BOOL -> false;
                    case INT, NUMBER -> 0L;
                    case DURATION -> "0";
                    case TIMESTAMP -> Instant.EPOCH.toString();
                };
        };
    }

    private UsageException wrong(String path, Object value, String expectation) {
        String shown = shown(path, value);
        String hint = value instanceof Boolean || value instanceof Number
                ? "put the value in quotes if it is meant as text"
                : "";
        return new UsageException(
                "%s in %s: invalid value %s"
                        .formatted(document.label(path), document.source(), shown),
                "%s is required here, this is %s".formatted(expectation, type(value)),
                hint);
    }

    /** Secrets are not repeated, not even when they are wrong. */
    private static String shown(String path, Object value) {
        return path.matches("(?i).*(token|key)") ? "(hidden)" : FieldErrors.shown(value);
    }

    private static String type(Object value) {
        return switch (value) {
            case String text -> "text";
            case Boolean flag -> "a boolean";
            case Long number -> "a number";
            case Double number -> "a number";
            case BigDecimal number -> "a number";
            case Duration duration -> "a duration";
            case Map<?, ?> map -> "an object";
            case List<?> list -> "a list";
            case null, default -> "something else";
        };
    }

    private static String join(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }
}
