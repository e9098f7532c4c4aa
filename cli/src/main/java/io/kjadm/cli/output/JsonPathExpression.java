package io.kjadm.cli.output;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One path: {@code .a.b}, {@code ['a']}, {@code [0]}, {@code [-1:]}, {@code [0,2]}, {@code [*]},
 * {@code ..a}, {@code [?(@.a=="b")]}, from the root ({@code $}) or from where a range stands
 * ({@code @}, or nothing).
 */
final class JsonPathExpression {

    /** One step from a value to others, or what a filter compares with. */
    @FunctionalInterface
    private interface Step {
        List<Object> from(Object root, Object value);
    }

    private static final Pattern NAME =
            Pattern.compile("(?:\\\\.|[^\\s.\\\\\\[\\]{}()'\",=<>!|&@$?*])+");
    private static final Pattern FILTER = Pattern.compile("(.+?)\\s*(==|!=|<=|>=|<|>)\\s*(.+)");
    private static final Pattern SLICE =
            Pattern.compile("(-?\\d+)?\\s*:\\s*(-?\\d+)?\\s*(?::\\s*(\\d+)?)?");

    private final boolean fromRoot;
    private final boolean missingKeysAllowed;
    private final List<Step> steps = new ArrayList<>();
    private boolean descends;

    private JsonPathExpression(String text, boolean missingKeysAllowed) {
        this.fromRoot = text.startsWith("$");
        this.missingKeysAllowed = missingKeysAllowed;
        int at = fromRoot || text.startsWith("@") ? 1 : 0;
        if (at == 0 && !text.startsWith(".") && !text.startsWith("[")) {
            throw JsonPath.wrong("\"%s\" is not a path".formatted(text));
        }
        while (at < text.length()) {
            at = step(text, at);
        }
    }

    static JsonPathExpression parse(String text, boolean missingKeysAllowed) {
        return new JsonPathExpression(text, missingKeysAllowed);
    }

    /** The values the path leads to. */
    List<Object> find(Object root, Object here) {
        List<Object> values = new ArrayList<>();
        values.add(fromRoot ? root : here);
        for (Step step : steps) {
            List<Object> next = new ArrayList<>();
            values.forEach(value -> next.addAll(step.from(root, value)));
            values = next;
        }
        return values;
    }

    private int step(String text, int at) {
        if (text.charAt(at) == '[') {
            int end = closing(text, at);
            steps.add(bracket(text.substring(at + 1, end).strip()));
            return end + 1;
        }
        if (text.charAt(at) != '.') {
            throw JsonPath.wrong("\"%s\" was not expected".formatted(text.substring(at)));
        }
        int name = at + 1;
        if (text.startsWith("..", at)) {
            descends = true;
            steps.add((root, value) -> withAllBelow(value));
            name++;
        }
        if (name == text.length() && at == 0) {
            return name;
        }
        if (name < text.length() && text.charAt(name) == '[') {
            return name;
        }
        if (name < text.length() && text.charAt(name) == '*') {
            steps.add((root, value) -> below(value));
            return name + 1;
        }
        Matcher word = NAME.matcher(text).region(name, text.length());
        if (!word.lookingAt()) {
            throw JsonPath.wrong("a name is missing in \"%s\"".formatted(text));
        }
        // a dot that belongs to the name has a backslash before it
        String key = QuotedText.content(word.group());
        steps.add((root, value) -> key(key, value));
        return word.end();
    }

    private static int closing(String text, int open) {
        int depth = 0;
        for (int i = open; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\'' || c == '"') {
                int end = QuotedText.end(text, i);
                if (end < 0) {
                    break;
                }
                i = end - 1;
            } else if (c == '[') {
                depth++;
            } else if (c == ']' && --depth == 0) {
                return i;
            }
        }
        throw JsonPath.wrong("a bracket is not closed in \"%s\"".formatted(text));
    }

    private Step bracket(String inside) {
        if (inside.equals("*")) {
            return (root, value) -> below(value);
        }
        if (inside.startsWith("?(") && inside.endsWith(")")) {
            return filter(inside.substring(2, inside.length() - 1).strip());
        }
        List<Step> several = commaSeparated(inside).stream().map(this::selector).toList();
        return (root, value) ->
                several.stream().flatMap(one -> one.from(root, value).stream()).toList();
    }

    private static List<String> commaSeparated(String text) {
        List<String> parts = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\'' || text.charAt(i) == '"') {
                i = Math.max(i, QuotedText.end(text, i) - 1);
            } else if (text.charAt(i) == ',') {
                parts.add(text.substring(start, i).strip());
                start = i + 1;
            }
        }
        parts.add(text.substring(start).strip());
        return parts;
    }

    private Step selector(String text) {
        if (text.startsWith("'") || text.startsWith("\"")) {
            String key = QuotedText.whole(text)
                    .orElseThrow(
                            () -> JsonPath.wrong("quotes do not match in [%s]".formatted(text)));
            return (root, value) -> key(key, value);
        }
        Matcher slice = SLICE.matcher(text);
        try {
            if (slice.matches()) {
                Optional<Integer> from = number(slice.group(1));
                Optional<Integer> to = number(slice.group(2));
                int step = number(slice.group(3)).orElse(1);
                if (step == 0) {
                    throw JsonPath.wrong("a slice cannot have steps of 0");
                }
                return (root, value) -> slice(from, to, step, value);
            }
            int position = Integer.parseInt(text);
            return (root, value) -> index(position, value);
        } catch (NumberFormatException e) {
            throw JsonPath.wrong("[%s] is neither a position nor a quoted name".formatted(text));
        }
    }

    private static Optional<Integer> number(String text) {
        return Optional.ofNullable(text).map(Integer::valueOf);
    }

    private static Step filter(String text) {
        if (text.contains("&&") || text.contains("||")) {
            throw JsonPath.wrong("a filter cannot combine conditions");
        }
        Matcher comparison = FILTER.matcher(text);
        // what a filter asks for may be missing: then the item is not chosen
        if (!comparison.matches()) {
            JsonPathExpression wanted = parse(text, true);
            return (root, value) -> below(value).stream()
                    .filter(item -> !wanted.find(root, item).isEmpty())
                    .toList();
        }
        JsonPathExpression left = parse(comparison.group(1), true);
        String operator = comparison.group(2);
        Step right = operand(comparison.group(3));
        return (root, value) -> below(value).stream()
                .filter(item -> holds(left.find(root, item), operator, right.from(root, item)))
                .toList();
    }

    /** A fixed value or another path. */
    private static Step operand(String text) {
        if (text.startsWith("@") || text.startsWith("$") || text.startsWith(".")) {
            return parse(text, true)::find;
        }
        Optional<String> quoted = text.startsWith("'") || text.startsWith("\"")
                ? QuotedText.whole(text)
                : Optional.empty();
        Object fixed = quoted.isPresent() ? quoted.get() : literal(text);
        return (root, item) -> List.of(fixed);
    }

    private static Object literal(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> {
                if (!text.matches("-?\\d+(\\.\\d+)?")) {
                    throw JsonPath.wrong("\"%s\" cannot be compared with".formatted(text));
                }
                yield new BigDecimal(text);
            }
        };
    }

    private List<Object> key(String name, Object value) {
        if (value instanceof Map<?, ?> map && map.containsKey(name)) {
            return Collections.singletonList(map.get(name));
        }
        if (missingKeysAllowed || descends) {
            return List.of();
        }
        throw JsonPath.unfit("there is no \"%s\"".formatted(name));
    }

    private static List<Object> below(Object value) {
        return switch (value) {
            case Map<?, ?> map -> new ArrayList<>(map.values());
            case List<?> list -> new ArrayList<>(list);
            case null, default -> List.of();
        };
    }

    /** The value itself and all below it. */
    private static List<Object> withAllBelow(Object value) {
        List<Object> found = new ArrayList<>();
        found.add(value);
        below(value).forEach(item -> found.addAll(withAllBelow(item)));
        return found;
    }

    /** One item; negative numbers count from the end. */
    private static List<Object> index(int position, Object value) {
        List<?> list = list(value);
        int index = position < 0 ? position + list.size() : position;
        if (index < 0 || index >= list.size()) {
            throw JsonPath.unfit(
                    "there is no item %d in a list of %d".formatted(position, list.size()));
        }
        return Collections.singletonList(list.get(index));
    }

    private static List<Object> slice(
            Optional<Integer> from, Optional<Integer> to, int step, Object value) {
        List<?> list = list(value);
        List<Object> found = new ArrayList<>();
        int end = position(to.orElse(list.size()), list.size());
        for (int i = position(from.orElse(0), list.size()); i < end; i += step) {
            found.add(list.get(i));
        }
        return found;
    }

    private static int position(int given, int size) {
        return Math.clamp(given < 0 ? given + size : given, 0, size);
    }

    private static List<?> list(Object value) {
        if (value instanceof List<?> list) {
            return list;
        }
        throw JsonPath.unfit("only a list has positions");
    }

    private static boolean holds(List<Object> left, String operator, List<Object> right) {
        return left.size() == 1
                && right.size() == 1
                && compares(left.getFirst(), operator, right.getFirst());
    }

    private static boolean compares(Object left, String operator, Object right) {
        int order = order(left, right);
        return switch (operator) {
            case "==" -> order == 0;
            case "!=" -> order != 0;
            case "<" -> order < 0;
            case ">" -> order > 0;
            case "<=" -> order <= 0;
            default -> order >= 0;
        };
    }

    private static int order(Object left, Object right) {
        return left instanceof Number && right instanceof Number
                ? new BigDecimal(left.toString()).compareTo(new BigDecimal(right.toString()))
                : String.valueOf(left).compareTo(String.valueOf(right));
    }
}
