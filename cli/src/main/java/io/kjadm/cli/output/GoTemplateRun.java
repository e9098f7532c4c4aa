package io.kjadm.cli.output;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** One use of a template: the text so far, and the variables of each nested part. */
final class GoTemplateRun {

    /** The dot is a variable that {@code range} and {@code with} set. */
    static final String DOT = ".";

    /** What a key gives that an object does not have. */
    static final Object MISSING = new Object() {
        @Override
        public String toString() {
            return "<no value>";
        }
    };

    private final boolean missingKeysAllowed;
    private final StringBuilder text = new StringBuilder();
    private final Deque<Map<String, Object>> scopes = new ArrayDeque<>();

    GoTemplateRun(Object root, boolean missingKeysAllowed) {
        this.missingKeysAllowed = missingKeysAllowed;
        scopes.push(new HashMap<>(Map.of(DOT, root, "$", root)));
    }

    void print(String shown) {
        text.append(shown);
    }

    /** Makes a new variable of this part, though one outside may have the same name. */
    void declare(String variable, Object value) {
        scopes.peek().put(variable, value);
    }

    /** Gives a variable that exists another value. */
    void assign(String variable, Object value) {
        scopeOf(variable).put(variable, value);
    }

    Object variable(String name) {
        return scopeOf(name).get(name);
    }

    /** Renders parts of the template that have variables of their own. */
    void nested(Map<String, Object> variables, Collection<Consumer<GoTemplateRun>> parts) {
        scopes.push(new HashMap<>(variables));
        parts.forEach(part -> part.accept(this));
        scopes.pop();
    }

    Object field(Object value, List<String> names) {
        Object here = value;
        for (String name : names) {
            if (!(here instanceof Map<?, ?> map)) {
                throw GoTemplateParser.unfit(
                        "%s has no field %s".formatted(GoTemplateFunctions.shown(here), name));
            }
            if (!map.containsKey(name) && !missingKeysAllowed) {
                throw GoTemplateParser.unfit("there is no field " + name);
            }
            here = map.containsKey(name) ? map.get(name) : MISSING;
        }
        return here;
    }

    /** What {@code range} goes over: positions or keys, in order, and items. */
    static Map<Object, Object> items(Object value) {
        Map<Object, Object> items = new TreeMap<>();
        switch (value) {
            case Map<?, ?> map -> items.putAll(map);
            case List<?> list -> list.forEach(item -> items.put((long) items.size(), item));
            case null -> {}
            default -> {
                if (value != MISSING) {
                    throw GoTemplateParser.unfit(
                            "range cannot go over " + GoTemplateFunctions.shown(value));
                }
            }
        }
        return items;
    }

    private Map<String, Object> scopeOf(String variable) {
        return scopes.stream()
                .filter(scope -> scope.containsKey(variable))
                .findFirst()
                .orElseThrow(() -> GoTemplateParser.wrong("there is no variable " + variable));
    }

    /** The text so far. */
    @Override
    public String toString() {
        return text.toString();
    }
}
