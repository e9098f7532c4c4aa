package io.kjadm.cli.output;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The functions of Go templates, and how Go tells values apart and prints them. */
final class GoTemplateFunctions {

    /**
     * All of them; {@code and} and {@code or} are evaluated by {@link GoTemplateParser}, as they may stop
     * early.
     */
    static final List<String> NAMES = List.of(
            "and", "eq", "ge", "gt", "index", "le", "len", "lt", "ne", "not", "or", "print",
            "printf", "println");

    private GoTemplateFunctions() {}

    static Object call(String name, List<Object> arguments) {
        return switch (name) {
            case "eq" ->
                arity(name, arguments, 2).subList(1, arguments.size()).stream()
                        .anyMatch(other -> same(arguments.getFirst(), other));
            case "ne" -> !same(arity(name, arguments, 2).getFirst(), arguments.get(1));
            case "lt" -> order(name, arguments) < 0;
            case "le" -> order(name, arguments) <= 0;
            case "gt" -> order(name, arguments) > 0;
            case "ge" -> order(name, arguments) >= 0;
            case "not" -> !truth(arity(name, arguments, 1).getFirst());
            case "len" -> length(arity(name, arguments, 1).getFirst());
            case "index" -> index(arity(name, arguments, 1));
            case "print" -> printed(arguments);
            case "println" ->
                arguments.stream().map(GoTemplateFunctions::shown).collect(Collectors.joining(" "))
                        + "\n";
            case "printf" -> formatted(arity(name, arguments, 1));
            default -> throw new IllegalStateException("no function " + name);
        };
    }

    /** Empty values, zero, false and nothing are false. */
    static boolean truth(Object value) {
        return switch (value) {
            case null -> false;
            case Boolean flag -> flag;
            case Number number -> decimal(number).signum() != 0;
            case String text -> !text.isEmpty();
            case List<?> list -> !list.isEmpty();
            case Map<?, ?> map -> !map.isEmpty();
            default -> value != GoTemplateRun.MISSING;
        };
    }

    /** A value as Go's {@code %v} prints it. */
    static String shown(Object value) {
        return switch (value) {
            case null -> "<nil>";
            case List<?> list ->
                list.stream()
                        .map(GoTemplateFunctions::shown)
                        .collect(Collectors.joining(" ", "[", "]"));
            case Map<?, ?> map ->
                new TreeMap<>(map)
                        .entrySet().stream()
                                .map(entry -> entry.getKey() + ":" + shown(entry.getValue()))
                                .collect(Collectors.joining(" ", "map[", "]"));
            default -> value.toString();
        };
    }

    private static List<Object> arity(String name, List<Object> arguments, int least) {
        if (arguments.size() < least) {
            throw GoTemplateParser.wrong("%s needs %d arguments".formatted(name, least));
        }
        return arguments;
    }

    private static boolean same(Object left, Object right) {
        return left instanceof Number one && right instanceof Number other
                ? decimal(one).compareTo(decimal(other)) == 0
                : Objects.equals(left, right);
    }

    private static int order(String name, List<Object> arguments) {
        Object left = arity(name, arguments, 2).getFirst();
        Object right = arguments.get(1);
        if (left instanceof Number one && right instanceof Number other) {
            return decimal(one).compareTo(decimal(other));
        }
        if (left instanceof String one && right instanceof String other) {
            return one.compareTo(other);
        }
        throw GoTemplateParser.unfit("%s compares two numbers or two texts".formatted(name));
    }

    private static BigDecimal decimal(Number number) {
        return new BigDecimal(number.toString());
    }

    private static long length(Object value) {
        return switch (value) {
            case String text -> text.length();
            case List<?> list -> list.size();
            case Map<?, ?> map -> map.size();
            case null, default -> throw GoTemplateParser.unfit("len needs a list, a map or a text");
        };
    }

    private static Object index(List<Object> arguments) {
        Object value = arguments.getFirst();
        for (Object key : arguments.subList(1, arguments.size())) {
            value = switch (value) {
                case Map<?, ?> map -> map.containsKey(key) ? map.get(key) : GoTemplateRun.MISSING;
                case List<?> list
                when key instanceof Long position && position >= 0 && position < list.size() ->
                    list.get(position.intValue());
                case null, default ->
                    throw GoTemplateParser.unfit("there is no index %s".formatted(shown(key)));
            };
        }
        return value;
    }

    /** Go sets two values off by a space only if neither is text. */
    private static String printed(List<Object> arguments) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < arguments.size(); i++) {
            boolean apart = i > 0
                    && !(arguments.get(i) instanceof String)
                    && !(arguments.get(i - 1) instanceof String);
            text.append(apart ? " " : "").append(shown(arguments.get(i)));
        }
        return text.toString();
    }

    private static String formatted(List<Object> arguments) {
        String format = shown(arguments.getFirst());
        StringBuilder text = new StringBuilder();
        int next = 1;
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            if (c != '%') {
                text.append(c);
                continue;
            }
            int end = i + 1;
            while (end < format.length() && "-0123456789".indexOf(format.charAt(end)) >= 0) {
                end++;
            }
            char verb = end < format.length() ? format.charAt(end) : 0;
            if (verb == '%') {
                text.append('%');
            } else {
                if (next == arguments.size()) {
                    throw GoTemplateParser.wrong(
                            "printf has too few arguments for \"%s\"".formatted(format));
                }
                text.append(
                        padded(format.substring(i + 1, end), value(verb, arguments.get(next++))));
            }
            i = end;
        }
        if (next < arguments.size()) {
            throw GoTemplateParser.wrong(
                    "printf has too many arguments for \"%s\"".formatted(format));
        }
        return text.toString();
    }

    private static String value(char verb, Object value) {
        return switch (verb) {
            case 's', 'v', 'd' -> shown(value);
            case 'q' -> JsonText.plainlyQuoted(shown(value));
            default ->
                throw GoTemplateParser.wrong("printf supports %s, %v, %d, %q and %%, with a width");
        };
    }

    private static String padded(String width, String value) {
        return width.isEmpty()
                ? value
                : ("%" + width.replaceFirst("^(-?)0+(?=\\d)", "$1") + "s").formatted(value);
    }
}
