package io.kjadm.cli.output;

import io.kjadm.cli.output.GoTemplateNode.Command;
import io.kjadm.cli.output.GoTemplateNode.Pipeline;
import io.kjadm.cli.output.GoTemplateNode.Start;
import io.kjadm.cli.output.GoTemplateNode.Term;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A Go template, as far as {@link GoTemplateParser} and {@link GoTemplateFunctions} know the
 * language.
 */
final class GoTemplate {

    /** What a key gives that an object does not have. */
    static final Object MISSING = new Object() {
        @Override
        public String toString() {
            return "<no value>";
        }
    };

    private final List<GoTemplateNode> nodes;
    private final boolean missingKeysAllowed;

    private GoTemplate(List<GoTemplateNode> nodes, boolean missingKeysAllowed) {
        this.nodes = nodes;
        this.missingKeysAllowed = missingKeysAllowed;
    }

    /**
     * Reads a template.
     *
     * @param missingKeysAllowed whether a key that an object does not have gives
     *         {@code <no value>}, or fails
     * @throws io.kjadm.core.error.UsageException if it is not understood
     */
    static GoTemplate parse(String template, boolean missingKeysAllowed) {
        return new GoTemplate(GoTemplateParser.parse(template), missingKeysAllowed);
    }

    /** The template filled in. */
    String render(Object root) {
        Run run = new Run(root);
        run.render(nodes, root);
        return run.text.toString();
    }

    /** One use of the template: the text so far, and the variables of each nested part. */
    private final class Run {

        private final StringBuilder text = new StringBuilder();
        private final Deque<Map<String, Object>> scopes = new ArrayDeque<>();

        Run(Object root) {
            scopes.push(new HashMap<>());
            scopes.peek().put("$", root);
        }

        void render(List<GoTemplateNode> parts, Object dot) {
            for (GoTemplateNode part : parts) {
                switch (part) {
                    case GoTemplateNode.Text(String literal) -> text.append(literal);
                    case GoTemplateNode.Print(Pipeline value) ->
                        text.append(GoTemplateFunctions.shown(value(value, dot)));
                    case GoTemplateNode.Assign assign -> assign(assign, dot);
                    case GoTemplateNode.Choice choice -> choose(choice, dot);
                    case GoTemplateNode.Range range -> repeat(range, dot);
                }
            }
        }

        private void assign(GoTemplateNode.Assign assign, Object dot) {
            Object value = value(assign.value(), dot);
            Map<String, Object> scope =
                    assign.declares() ? scopes.peek() : scopeOf(assign.variable());
            scope.put(assign.variable(), value);
        }

        private void choose(GoTemplateNode.Choice choice, Object dot) {
            Object value = value(choice.condition(), dot);
            scopes.push(new HashMap<>());
            choice.variable().ifPresent(name -> scopes.peek().put(name, value));
            if (GoTemplateFunctions.truth(value)) {
                render(choice.then(), choice.with() ? value : dot);
            } else {
                render(choice.otherwise(), dot);
            }
            scopes.pop();
        }

        private void repeat(GoTemplateNode.Range range, Object dot) {
            Map<Object, Object> items = items(value(range.over(), dot));
            if (items.isEmpty()) {
                nested(Map.of(), range.otherwise(), dot);
            }
            items.forEach((key, item) -> {
                Map<String, Object> variables = new HashMap<>();
                if (range.variables().size() == 2) {
                    variables.put(range.variables().getFirst(), key);
                }
                if (!range.variables().isEmpty()) {
                    variables.put(range.variables().getLast(), item);
                }
                nested(variables, range.body(), item);
            });
        }

        private void nested(Map<String, Object> variables, List<GoTemplateNode> parts, Object dot) {
            scopes.push(new HashMap<>(variables));
            render(parts, dot);
            scopes.pop();
        }

        private Map<Object, Object> items(Object value) {
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

        private Object value(Pipeline pipeline, Object dot) {
            Optional<Object[]> before = Optional.empty();
            for (Command command : pipeline.commands()) {
                before = Optional.of(new Object[] {value(command, before, dot)});
            }
            return before.orElseThrow()[0];
        }

        /** @param before the value of the command before, which may be null, in an array */
        private Object value(Command command, Optional<Object[]> before, Object dot) {
            if (!(command.terms().getFirst() instanceof Term.Function(String name))) {
                if (before.isPresent()) {
                    throw GoTemplateParser.wrong("a value is piped into what is not a function");
                }
                return value(command.terms().getFirst(), dot);
            }
            List<Term> terms = command.terms().subList(1, command.terms().size());
            if (name.equals("and") || name.equals("or")) {
                return logic(name.equals("or"), terms, before, dot);
            }
            List<Object> arguments = new ArrayList<>();
            terms.forEach(term -> arguments.add(value(term, dot)));
            before.ifPresent(value -> arguments.add(value[0]));
            return GoTemplateFunctions.call(name, arguments);
        }

        /** The first argument that decides, else the last. */
        private Object logic(
                boolean decisive, List<Term> terms, Optional<Object[]> before, Object dot) {
            Object last = null;
            for (Term term : terms) {
                last = value(term, dot);
                if (GoTemplateFunctions.truth(last) == decisive) {
                    return last;
                }
            }
            return before.isPresent() ? before.get()[0] : last;
        }

        private Object value(Term term, Object dot) {
            return switch (term) {
                case Term.Literal(Object value) -> value;
                case Term.Function(String name) -> GoTemplateFunctions.call(name, List.of());
                case Term.Path(Start start, List<String> fields) ->
                    field(start(start, dot), fields);
            };
        }

        private Object start(Start start, Object dot) {
            return switch (start) {
                case Start.Dot() -> dot;
                case Start.Variable(String name) -> scopeOf(name).get(name);
                case Start.Nested(Pipeline pipeline) -> value(pipeline, dot);
            };
        }

        private Object field(Object value, List<String> fields) {
            Object here = value;
            for (String field : fields) {
                if (!(here instanceof Map<?, ?> map)) {
                    throw GoTemplateParser.unfit(
                            "%s has no field %s".formatted(GoTemplateFunctions.shown(here), field));
                }
                if (!map.containsKey(field) && !missingKeysAllowed) {
                    throw GoTemplateParser.unfit("there is no field " + field);
                }
                here = map.containsKey(field) ? map.get(field) : MISSING;
            }
            return here;
        }

        private Map<String, Object> scopeOf(String variable) {
            return scopes.stream()
                    .filter(scope -> scope.containsKey(variable))
                    .findFirst()
                    .orElseThrow(() -> GoTemplateParser.wrong("there is no variable " + variable));
        }
    }
}
