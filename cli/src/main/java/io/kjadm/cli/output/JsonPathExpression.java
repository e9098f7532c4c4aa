package io.kjadm.cli.output;

import java.math.BigDecimal;
import java.util.ArrayList;
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

    /** One step from values to values. */
    private sealed interface Step {
        /** The values of a key. */
        record Key(String name) implements Step {}

        /** All items, or all values of a map. */
        record All() implements Step {}

        /** Items of a list by position. */
        record Slice(Optional<Integer> from, Optional<Integer> to, int step) implements Step {}

        /** One item; negative numbers count from the end. */
        record Index(int position) implements Step {}

        /** What each of several steps gives. */
        record Union(List<Step> steps) implements Step {}

        /** The value itself and all below it. */
        record Descend() implements Step {}

        /** Items for which a comparison holds, or that have something. */
        record Filter(JsonPathExpression left, String operator, Optional<Operand> right)
                implements Step {}
    }

    /** What a filter compares with: a fixed value or another path. */
    private record Operand(Object value, Optional<JsonPathExpression> path) {}

    private static final Pattern NAME =
            Pattern.compile("(?:\\\\.|[^\\s.\\\\\\[\\]{}()'\",=<>!|&@$?*])+");
    private static final Pattern FILTER = Pattern.compile("(.+?)\\s*(==|!=|<=|>=|<|>)\\s*(.+)");
    private static final Pattern SLICE =
            Pattern.compile("(-?\\d+)?\\s*:\\s*(-?\\d+)?\\s*(?::\\s*(\\d+)?)?");

    private final boolean fromRoot;
    private final boolean missingKeysAllowed;
    private final List<Step> steps;

    private JsonPathExpression(boolean fromRoot, boolean missingKeysAllowed, List<Step> steps) {
        this.fromRoot = fromRoot;
        this.missingKeysAllowed = missingKeysAllowed;
        this.steps = steps;
    }

    static JsonPathExpression parse(String text, boolean missingKeysAllowed) {
        boolean root = text.startsWith("$");
        int at = root || text.startsWith("@") ? 1 : 0;
        List<Step> steps = new ArrayList<>();
        if (at == 0 && !text.startsWith(".") && !text.startsWith("[")) {
            throw JsonPath.wrong("\"%s\" is not a path".formatted(text));
        }
        while (at < text.length()) {
            at = step(text, at, steps);
        }
        return new JsonPathExpression(root, missingKeysAllowed, List.copyOf(steps));
    }

    /** The values the path leads to. */
    List<Object> find(Object root, Object here) {
        List<Object> values = new ArrayList<>();
        values.add(fromRoot ? root : here);
        for (Step step : steps) {
            List<Object> next = new ArrayList<>();
            values.forEach(value -> apply(step, root, value, next));
            values = next;
        }
        return values;
    }

    private static int step(String text, int at, List<Step> steps) {
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
            steps.add(new Step.Descend());
            name++;
        }
        if (name == text.length() && at == 0) {
            return name;
        }
        if (name < text.length() && text.charAt(name) == '[') {
            return name;
        }
        if (name < text.length() && text.charAt(name) == '*') {
            steps.add(new Step.All());
            return name + 1;
        }
        Matcher word = NAME.matcher(text).region(name, text.length());
        if (!word.lookingAt()) {
            throw JsonPath.wrong("a name is missing in \"%s\"".formatted(text));
        }
        // a dot that belongs to the name has a backslash before it
        steps.add(new Step.Key(QuotedText.content(word.group())));
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

    private static Step bracket(String inside) {
        if (inside.equals("*")) {
            return new Step.All();
        }
        if (inside.startsWith("?(") && inside.endsWith(")")) {
            return filter(inside.substring(2, inside.length() - 1).strip());
        }
        List<String> parts = commaSeparated(inside);
        return parts.size() == 1
                ? selector(parts.getFirst())
                : new Step.Union(
                        parts.stream().map(JsonPathExpression::selector).toList());
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

    private static Step selector(String text) {
        if (text.startsWith("'") || text.startsWith("\"")) {
            return new Step.Key(QuotedText.whole(text)
                    .orElseThrow(
                            () -> JsonPath.wrong("quotes do not match in [%s]".formatted(text))));
        }
        Matcher slice = SLICE.matcher(text);
        try {
            if (slice.matches()) {
                int step = slice.group(3) == null ? 1 : Integer.parseInt(slice.group(3));
                if (step == 0) {
                    throw JsonPath.wrong("a slice cannot have steps of 0");
                }
                return new Step.Slice(number(slice.group(1)), number(slice.group(2)), step);
            }
            return new Step.Index(Integer.parseInt(text));
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
            return new Step.Filter(parse(text, true), "exists", Optional.empty());
        }
        return new Step.Filter(
                parse(comparison.group(1), true),
                comparison.group(2),
                Optional.of(operand(comparison.group(3))));
    }

    private static Operand operand(String text) {
        if (text.startsWith("@") || text.startsWith("$") || text.startsWith(".")) {
            return new Operand(null, Optional.of(parse(text, true)));
        }
        Optional<String> quoted = text.startsWith("'") || text.startsWith("\"")
                ? QuotedText.whole(text)
                : Optional.empty();
        if (quoted.isPresent()) {
            return new Operand(quoted.get(), Optional.empty());
        }
        return switch (text) {
            case "true" -> new Operand(true, Optional.empty());
            case "false" -> new Operand(false, Optional.empty());
            default -> {
                if (!text.matches("-?\\d+(\\.\\d+)?")) {
                    throw JsonPath.wrong("\"%s\" cannot be compared with".formatted(text));
                }
                yield new Operand(new BigDecimal(text), Optional.empty());
            }
        };
    }

    private void apply(Step step, Object root, Object value, List<Object> next) {
        switch (step) {
            case Step.Key(String name) -> key(name, value, next);
            case Step.All() -> next.addAll(below(value));
            case Step.Index(int position) -> index(position, value, next);
            case Step.Slice slice -> slice(slice, value, next);
            case Step.Union(List<Step> several) ->
                several.forEach(one -> apply(one, root, value, next));
            case Step.Descend() -> descend(value, next);
            case Step.Filter filter ->
                below(value).stream().filter(item -> holds(filter, root, item)).forEach(next::add);
        }
    }

    private void key(String name, Object value, List<Object> next) {
        if (value instanceof Map<?, ?> map && map.containsKey(name)) {
            next.add(map.get(name));
        } else if (!missingKeysAllowed && !steps.contains(new Step.Descend())) {
            throw JsonPath.unfit("there is no \"%s\"".formatted(name));
        }
    }

    private static List<Object> below(Object value) {
        return switch (value) {
            case Map<?, ?> map -> new ArrayList<>(map.values());
            case List<?> list -> new ArrayList<>(list);
            case null, default -> List.of();
        };
    }

    private static void index(int position, Object value, List<Object> next) {
        List<?> list = list(value);
        int index = position < 0 ? position + list.size() : position;
        if (index < 0 || index >= list.size()) {
            throw JsonPath.unfit(
                    "there is no item %d in a list of %d".formatted(position, list.size()));
        }
        next.add(list.get(index));
    }

    private static void slice(Step.Slice slice, Object value, List<Object> next) {
        List<?> list = list(value);
        int from = position(slice.from().orElse(0), list.size());
        int to = position(slice.to().orElse(list.size()), list.size());
        for (int i = from; i < to; i += slice.step()) {
            next.add(list.get(i));
        }
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

    private static void descend(Object value, List<Object> next) {
        next.add(value);
        below(value).forEach(item -> descend(item, next));
    }

    private static boolean holds(Step.Filter filter, Object root, Object item) {
        List<Object> left = filter.left().find(root, item);
        if (filter.right().isEmpty()) {
            return !left.isEmpty();
        }
        Operand operand = filter.right().get();
        List<Object> right = operand.path()
                .map(path -> path.find(root, item))
                .orElseGet(() -> List.of(operand.value()));
        return left.size() == 1
                && right.size() == 1
                && compares(left.getFirst(), filter.operator(), right.getFirst());
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
