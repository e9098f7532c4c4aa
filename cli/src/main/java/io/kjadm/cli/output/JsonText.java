package io.kjadm.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes trees as JSON, keys in the order the tree has them. */
public final class JsonText {

    private JsonText() {}

    /**
     * A value over several lines, without a newline at the end.
     *
     * @param indent spaces per level
     */
    public static String write(Object value, int indent) {
        return write(value, indent, 0);
    }

    /** A value on one line. */
    public static String compact(Object value) {
        return switch (value) {
            case Map<?, ?> map ->
                "{"
                        + String.join(
                                ",",
                                entries(map).stream()
                                        .map(entry -> quoted(entry.getKey().toString()) + ":"
                                                + compact(entry.getValue()))
                                        .toList())
                        + "}";
            case List<?> list ->
                "[" + String.join(",", list.stream().map(JsonText::compact).toList()) + "]";
            case null, default -> scalar(value);
        };
    }

    /** A copy with the keys of every map sorted. */
    static Object sorted(Object value) {
        return switch (value) {
            case Map<?, ?> map -> {
                Map<Object, Object> copy = new TreeMap<>();
                map.forEach((key, item) -> copy.put(key, sorted(item)));
                yield copy;
            }
            case List<?> list -> {
                List<Object> copy = new ArrayList<>();
                list.forEach(item -> copy.add(sorted(item)));
                yield copy;
            }
            case null, default -> value;
        };
    }

    /** Text in double quotes; what HTML would take for markup is escaped, as Go does. */
    static String quoted(String text) {
        StringBuilder escaped = new StringBuilder();
        plainlyQuoted(text)
                .chars()
                .forEach(c -> escaped.append(
                        switch (c) {
                            case '<', '>', '&', '\u2028', '\u2029' -> "\\u%04x".formatted(c);
                            default -> String.valueOf((char) c);
                        }));
        return escaped.toString();
    }

    /** Text in double quotes. */
    static String plainlyQuoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars()
                .forEach(c -> quoted.append(
                        switch (c) {
                            case '"' -> "\\\"";
                            case '\\' -> "\\\\";
                            case '\n' -> "\\n";
                            case '\r' -> "\\r";
                            case '\t' -> "\\t";
                            default -> c < ' ' ? "\\u%04x".formatted(c) : String.valueOf((char) c);
                        }));
        return quoted.append('"').toString();
    }

    private static String scalar(Object value) {
        return switch (value) {
            case null -> "null";
            case Number number -> number.toString();
            case Boolean flag -> flag.toString();
            default -> quoted(value.toString());
        };
    }

    private static String write(Object value, int indent, int depth) {
        return switch (value) {
            case Map<?, ?> map
            when !map.isEmpty() ->
                block(
                        "{",
                        entries(map).stream()
                                .map(entry -> quoted(entry.getKey().toString()) + ": "
                                        + write(entry.getValue(), indent, depth + 1))
                                .toList(),
                        "}",
                        indent,
                        depth);
            case List<?> list
            when !list.isEmpty() ->
                block(
                        "[",
                        list.stream()
                                .map(item -> write(item, indent, depth + 1))
                                .toList(),
                        "]",
                        indent,
                        depth);
            case null, default -> compact(value);
        };
    }

    private static String block(
            String open, List<String> parts, String close, int indent, int depth) {
        String inner = "\n" + " ".repeat(indent * (depth + 1));
        return open + inner + String.join("," + inner, parts) + "\n" + " ".repeat(indent * depth)
                + close;
    }

    private static List<Map.Entry<?, ?>> entries(Map<?, ?> map) {
        return new ArrayList<>(map.entrySet());
    }
}
