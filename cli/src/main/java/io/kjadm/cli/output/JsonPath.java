package io.kjadm.cli.output;

import io.kjadm.core.error.UsageException;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * A template of kubectl's JSONPath kind: text, and in braces paths into the object, quoted text,
 * and {@code range … end}.
 */
final class JsonPath {

    /** A part of a template. */
    private sealed interface Part {
        /** Text as it is. */
        record Literal(String text) implements Part {}

        /** What a path finds. */
        record Find(JsonPathExpression path) implements Part {}

        /** Parts repeated for everything a path finds. */
        record Range(JsonPathExpression path, List<Part> body) implements Part {}
    }

    private static final String END = "end";
    private static final String RANGE = "range";
    private static final Pattern RANGE_OVER = Pattern.compile(RANGE + "(?!\\w)");

    private final String template;
    private final List<Part> parts;
    private int at;

    private JsonPath(String template, boolean missingKeysAllowed) {
        this.template = template;
        this.parts = parts(missingKeysAllowed, false);
    }

    /**
     * Reads a template.
     *
     * @param missingKeysAllowed whether a name that an object does not have finds nothing, or fails
     * @throws UsageException if it is not understood
     */
    static JsonPath parse(String template, boolean missingKeysAllowed) {
        return new JsonPath(template, missingKeysAllowed);
    }

    /**
     * The template filled in; of several values a path finds, each is set off by a space. Maps have
     * their keys sorted.
     */
    String render(Object object) {
        return render(
                object,
                found -> String.join(" ", found.stream().map(JsonPath::shown).toList()));
    }

    /** What each path finds, as a JSON list of its own. */
    String renderJson(Object object, int indent) {
        return render(object, found -> JsonText.write(found, indent) + "\n");
    }

    /** @param writer what it writes for all that one path finds */
    private String render(Object object, Function<List<Object>, String> writer) {
        Object root = JsonText.sorted(object);
        StringBuilder text = new StringBuilder();
        render(parts, root, root, writer, text);
        return text.toString();
    }

    private static void render(
            List<Part> parts,
            Object root,
            Object here,
            Function<List<Object>, String> writer,
            StringBuilder text) {
        for (Part part : parts) {
            switch (part) {
                case Part.Literal(String literal) -> text.append(literal);
                case Part.Find(JsonPathExpression path) ->
                    text.append(writer.apply(path.find(root, here)));
                case Part.Range(JsonPathExpression path, List<Part> body) ->
                    path.find(root, here).forEach(item -> render(body, root, item, writer, text));
            }
        }
    }

    private static String shown(Object value) {
        return value instanceof String text ? text : value == null ? "" : JsonText.compact(value);
    }

    private List<Part> parts(boolean missingKeysAllowed, boolean inRange) {
        List<Part> found = new ArrayList<>();
        while (at < template.length()) {
            int brace = template.indexOf('{', at);
            if (brace != at) {
                int end = brace < 0 ? template.length() : brace;
                found.add(new Part.Literal(template.substring(at, end)));
                at = end;
                continue;
            }
            String action = action();
            if (action.equals(END)) {
                if (!inRange) {
                    throw wrong("there is an \"end\" without a \"range\"");
                }
                return found;
            }
            if (RANGE_OVER.matcher(action).lookingAt()) {
                JsonPathExpression over = JsonPathExpression.parse(
                        action.substring(RANGE.length()).strip(), missingKeysAllowed);
                found.add(new Part.Range(over, parts(missingKeysAllowed, true)));
            } else if (action.startsWith("\"") || action.startsWith("'")) {
                found.add(new Part.Literal(QuotedText.whole(action)
                        .orElseThrow(() -> wrong("quotes do not match in " + action))));
            } else {
                found.add(new Part.Find(JsonPathExpression.parse(action, missingKeysAllowed)));
            }
        }
        if (inRange) {
            throw wrong("a \"range\" has no \"end\"");
        }
        return found;
    }

    /**
     * The text between the brace here and the one that closes it; braces within quotes do not
     * count.
     */
    private String action() {
        char quote = 0;
        for (int i = at + 1; i < template.length(); i++) {
            char c = template.charAt(i);
            if (quote != 0) {
                if (c == '\\') {
                    i++;
                } else if (c == quote) {
                    quote = 0;
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (c == '}') {
                String action = template.substring(at + 1, i).strip();
                at = i + 1;
                return action;
            }
        }
        throw wrong("a brace is not closed");
    }

    /** The template is right, but not for this object. */
    static UsageException unfit(String why) {
        return new UsageException(
                "the JSONPath template does not match the object",
                why,
                "see the object's fields with -o json");
    }

    static UsageException wrong(String why) {
        return new UsageException(
                "the JSONPath template is not understood",
                why,
                "a path looks like {.items[*].name}; put the template in single quotes for the shell");
    }
}
