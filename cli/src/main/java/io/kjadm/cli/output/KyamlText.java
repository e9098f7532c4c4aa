package io.kjadm.cli.output;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Writes trees as KYAML (KEP-5295): YAML in flow style with text always quoted, keys only where
 * they would read as something else, a comma after every item, and a separator before every
 * document.
 */
final class KyamlText {

    private static final String INDENT = "  ";
    private static final Pattern PLAIN_KEY = Pattern.compile("[A-Za-z_][-A-Za-z0-9_./]*");
    private static final Pattern OTHER_TYPE = Pattern.compile(
            "(?i)y|n|yes|no|on|off|true|false|null|~|[-+]?\\.?(inf|nan)|.*\\d{4}-\\d{2}-\\d{2}.*");

    private KyamlText() {}

    /** One document, with a newline at its end. */
    static String write(Map<String, Object> tree) {
        return "---\n" + value(tree, "") + "\n";
    }

    private static String value(Object value, String indent) {
        return switch (value) {
            case Map<?, ?> map ->
                map.isEmpty() ? "{}" : "{\n" + lines(map, indent + INDENT) + indent + "}";
            case List<?> list -> list.isEmpty() ? "[]" : list(list, indent);
            case String text -> JsonText.plainlyQuoted(text);
            case null, default -> JsonText.compact(value);
        };
    }

    private static String lines(Map<?, ?> map, String indent) {
        StringBuilder text = new StringBuilder();
        map.forEach((key, value) -> text.append(indent)
                .append(key(key.toString()))
                .append(": ")
                .append(value(value, indent))
                .append(",\n"));
        return text.toString();
    }

    /** Lists of maps have their brackets together. */
    private static String list(List<?> list, String indent) {
        if (list.stream().allMatch(item -> item instanceof Map<?, ?> map && !map.isEmpty())) {
            return "["
                    + String.join(
                            ", ", list.stream().map(item -> value(item, indent)).toList()) + "]";
        }
        StringBuilder text = new StringBuilder("[\n");
        list.forEach(item -> text.append(indent)
                .append(INDENT)
                .append(value(item, indent + INDENT))
                .append(",\n"));
        return text.append(indent).append("]").toString();
    }

    private static String key(String key) {
        return PLAIN_KEY.matcher(key).matches() && !OTHER_TYPE.matcher(key).matches()
                ? key
                : JsonText.plainlyQuoted(key);
    }
}
