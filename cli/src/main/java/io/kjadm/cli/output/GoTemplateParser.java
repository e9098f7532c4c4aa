package io.kjadm.cli.output;

import io.kjadm.core.error.UsageException;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads Go templates: everything but {@code define}, {@code template}, {@code block},
 * {@code break}, {@code continue}. A part of a template becomes what it does in a run, and what
 * stands for a value becomes its value in a run.
 */
final class GoTemplateParser {

    private static final Set<String> UNSUPPORTED =
            Set.of("define", "template", "block", "break", "continue");

    private final List<GoTemplateTokens.Piece> pieces;
    private int at;

    private GoTemplateParser(List<GoTemplateTokens.Piece> pieces) {
        this.pieces = pieces;
    }

    /** The parts of a template. */
    static List<Consumer<GoTemplateRun>> parse(String template) {
        GoTemplateParser parser = new GoTemplateParser(GoTemplateTokens.pieces(template));
        List<Consumer<GoTemplateRun>> parts = parser.parts();
        if (parser.at < parser.pieces.size()) {
            throw wrong("{{%s}} has nothing to belong to"
                    .formatted(parser.pieces.get(parser.at).first()));
        }
        return parts;
    }

    /** The template is right, but not for this object. */
    static UsageException unfit(String why) {
        return new UsageException(
                "the Go template does not match the object",
                why,
                "see the object's fields with -o json");
    }

    static UsageException wrong(String why) {
        return new UsageException(
                "the Go template is not understood",
                why,
                "supported are fields, variables, if, with, range and the functions "
                        + String.join(", ", GoTemplateFunctions.NAMES));
    }

    /** Up to an {@code else} or {@code end}, which stays, or to the end of the template. */
    private List<Consumer<GoTemplateRun>> parts() {
        List<Consumer<GoTemplateRun>> parts = new ArrayList<>();
        while (at < pieces.size()) {
            GoTemplateTokens.Piece piece = pieces.get(at);
            if (!piece.action()) {
                parts.add(run -> run.print(piece.text()));
                at++;
                continue;
            }
            String first = piece.first();
            if (first.equals("else") || first.equals("end")) {
                return parts;
            }
            if (UNSUPPORTED.contains(first)) {
                throw wrong("\"%s\" is not supported".formatted(first));
            }
            at++;
            parts.add(
                    switch (first) {
                        case "if", "with" -> choice(first, new Tokens(piece.tokens(), 1));
                        case "range" -> range(new Tokens(piece.tokens(), 1));
                        default -> statement(new Tokens(piece.tokens(), 0));
                    });
        }
        return parts;
    }

    /** {@code if}, or, where the value becomes the dot, {@code with}. */
    private Consumer<GoTemplateRun> choice(String keyword, Tokens tokens) {
        boolean named = tokens.peek().startsWith("$") && tokens.peek(1).equals(":=");
        String variable = named ? tokens.next() : "";
        if (named) {
            tokens.next();
        }
        Function<GoTemplateRun, Object> condition = wholePipeline(tokens);
        List<Consumer<GoTemplateRun>> then = parts();
        List<Consumer<GoTemplateRun>> otherwise = otherwise(keyword);
        return run -> {
            Object value = condition.apply(run);
            boolean holds = GoTemplateFunctions.truth(value);
            Map<String, Object> variables = new HashMap<>();
            if (named) {
                variables.put(variable, value);
            }
            if (holds && keyword.equals("with")) {
                variables.put(GoTemplateRun.DOT, value);
            }
            run.nested(variables, holds ? then : otherwise);
        };
    }

    /** {@code range}, with up to two variables: the item, or position and item. */
    private Consumer<GoTemplateRun> range(Tokens tokens) {
        List<String> variables = rangeVariables(tokens);
        Function<GoTemplateRun, Object> over = wholePipeline(tokens);
        List<Consumer<GoTemplateRun>> body = parts();
        List<Consumer<GoTemplateRun>> otherwise = otherwise("range");
        return run -> {
            Map<Object, Object> items = GoTemplateRun.items(over.apply(run));
            if (items.isEmpty()) {
                run.nested(Map.of(), otherwise);
            }
            items.forEach((key, item) -> {
                Map<String, Object> values = new HashMap<>();
                if (variables.size() == 2) {
                    values.put(variables.getFirst(), key);
                }
                if (!variables.isEmpty()) {
                    values.put(variables.getLast(), item);
                }
                values.put(GoTemplateRun.DOT, item);
                run.nested(values, body);
            });
        };
    }

    private static List<String> rangeVariables(Tokens tokens) {
        List<String> variables = new ArrayList<>();
        if (tokens.contains(":=")) {
            variables.add(tokens.next());
            if (tokens.peek().equals(",")) {
                tokens.next();
                variables.add(tokens.next());
            }
            tokens.expect(":=");
            if (!variables.stream().allMatch(name -> name.startsWith("$"))) {
                throw wrong("a range can only set variables");
            }
        }
        return variables;
    }

    /** What follows {@code else}, up to and with the {@code end}; nothing if there is none. */
    private List<Consumer<GoTemplateRun>> otherwise(String keyword) {
        GoTemplateTokens.Piece stop = stop(keyword);
        if (stop.first().equals("end")) {
            return List.of();
        }
        if (stop.tokens().size() > 1) {
            if (stop.tokens().get(1).equals(keyword) && !keyword.equals("range")) {
                return List.of(choice(keyword, new Tokens(stop.tokens(), 2)));
            }
            throw wrong("{{else}} of \"%s\" is followed by \"%s\""
                    .formatted(keyword, stop.tokens().get(1)));
        }
        List<Consumer<GoTemplateRun>> otherwise = parts();
        if (!stop(keyword).first().equals("end")) {
            throw wrong("\"%s\" has two {{else}}".formatted(keyword));
        }
        return otherwise;
    }

    private GoTemplateTokens.Piece stop(String keyword) {
        if (at == pieces.size()) {
            throw wrong("\"%s\" has no {{end}}".formatted(keyword));
        }
        return pieces.get(at++);
    }

    /** A value that a variable gets, or that is printed. */
    private static Consumer<GoTemplateRun> statement(Tokens tokens) {
        String operator = tokens.peek(1);
        if (tokens.peek().startsWith("$") && (operator.equals(":=") || operator.equals("="))) {
            String variable = tokens.next();
            tokens.next();
            Function<GoTemplateRun, Object> value = wholePipeline(tokens);
            return operator.equals(":=")
                    ? run -> run.declare(variable, value.apply(run))
                    : run -> run.assign(variable, value.apply(run));
        }
        Function<GoTemplateRun, Object> value = wholePipeline(tokens);
        return run -> run.print(GoTemplateFunctions.shown(value.apply(run)));
    }

    /** The pipeline that is the rest of the action. */
    private static Function<GoTemplateRun, Object> wholePipeline(Tokens tokens) {
        Function<GoTemplateRun, Object> value = pipeline(tokens);
        tokens.end();
        return value;
    }

    private static Function<GoTemplateRun, Object> pipeline(Tokens tokens) {
        Function<GoTemplateRun, Object> value = command(tokens, Optional.empty());
        while (tokens.peek().equals("|")) {
            tokens.next();
            value = command(tokens, Optional.of(value));
        }
        return value;
    }

    /**
     * A term alone, or a function and its arguments.
     *
     * @param piped the command before, whose value is the last argument
     */
    private static Function<GoTemplateRun, Object> command(
            Tokens tokens, Optional<Function<GoTemplateRun, Object>> piped) {
        boolean call = GoTemplateFunctions.NAMES.contains(tokens.peek());
        String function = tokens.peek();
        List<Function<GoTemplateRun, Object>> terms = new ArrayList<>();
        while (!tokens.peek().isEmpty()
                && !tokens.peek().equals("|")
                && !tokens.peek().equals(")")) {
            terms.add(term(tokens));
        }
        if (terms.isEmpty()) {
            throw wrong("a value is missing");
        }
        if (call) {
            return call(function, terms.subList(1, terms.size()), piped);
        }
        if (terms.size() > 1) {
            throw wrong("only a function takes arguments");
        }
        if (piped.isPresent()) {
            throw wrong("a value is piped into what is not a function");
        }
        return terms.getFirst();
    }

    private static Function<GoTemplateRun, Object> call(
            String function,
            List<Function<GoTemplateRun, Object>> terms,
            Optional<Function<GoTemplateRun, Object>> piped) {
        return run -> {
            // the value may be null, which an Optional cannot hold
            List<Object> last = piped.stream().map(value -> value.apply(run)).toList();
            if (function.equals("and") || function.equals("or")) {
                return logic(function.equals("or"), terms, last, run);
            }
            List<Object> arguments = new ArrayList<>();
            terms.forEach(term -> arguments.add(term.apply(run)));
            arguments.addAll(last);
            return GoTemplateFunctions.call(function, arguments);
        };
    }

    /** The first argument that decides, else the last; those after it are not evaluated. */
    private static Object logic(
            boolean decisive,
            List<Function<GoTemplateRun, Object>> terms,
            List<Object> piped,
            GoTemplateRun run) {
        Object last = null;
        for (Function<GoTemplateRun, Object> term : terms) {
            last = term.apply(run);
            if (GoTemplateFunctions.truth(last) == decisive) {
                return last;
            }
        }
        return piped.isEmpty() ? last : piped.getFirst();
    }

    /** The dot, a variable (with {@code $}) or parentheses, and fields of it; or a literal. */
    private static Function<GoTemplateRun, Object> term(Tokens tokens) {
        String token = tokens.next();
        char first = token.charAt(0);
        if (first == '(') {
            Function<GoTemplateRun, Object> nested = pipeline(tokens);
            tokens.expect(")");
            // a field follows without a space; with one, it would be the next argument
            List<String> fields = fields(
                    tokens.peek().startsWith(GoTemplateTokens.ATTACHED)
                            ? tokens.next().substring(1)
                            : "");
            return run -> run.field(nested.apply(run), fields);
        }
        if (first == '"' || first == '`') {
            String content = token.substring(1, token.length() - 1);
            String text = first == '`' ? content : QuotedText.content(content);
            return run -> text;
        }
        if (first == '.' || first == '$') {
            int dot = token.indexOf('.');
            String variable =
                    first == '.' ? GoTemplateRun.DOT : dot < 0 ? token : token.substring(0, dot);
            List<String> fields = fields(dot < 0 ? "" : token.substring(dot));
            return run -> run.field(run.variable(variable), fields);
        }
        return literal(token);
    }

    private static Function<GoTemplateRun, Object> literal(String token) {
        if (GoTemplateFunctions.NAMES.contains(token)) {
            return run -> GoTemplateFunctions.call(token, List.of());
        }
        Object value = switch (token) {
            case "true" -> true;
            case "false" -> false;
            case "nil" -> null;
            default -> {
                if (token.matches("[-+]?\\d+")) {
                    yield Long.valueOf(token);
                }
                if (token.matches("[-+]?\\d*\\.\\d+")) {
                    yield new BigDecimal(token);
                }
                throw wrong("there is no function \"%s\"".formatted(token));
            }
        };
        return run -> value;
    }

    private static List<String> fields(String path) {
        return path.length() < 2 ? List.of() : List.of(path.substring(1).split("\\."));
    }

    /** The tokens of one action, one after the other. */
    private static final class Tokens {

        private final List<String> tokens;
        private int at;

        Tokens(List<String> tokens, int start) {
            this.tokens = tokens;
            this.at = start;
        }

        /** The next token, or empty text. */
        String peek() {
            return peek(0);
        }

        String peek(int ahead) {
            return at + ahead < tokens.size() ? tokens.get(at + ahead) : "";
        }

        String next() {
            if (at == tokens.size()) {
                throw wrong("{{%s}} ends too early".formatted(String.join(" ", tokens)));
            }
            return tokens.get(at++);
        }

        boolean contains(String token) {
            return tokens.subList(at, tokens.size()).contains(token);
        }

        void expect(String token) {
            if (!next().equals(token)) {
                throw wrong(
                        "\"%s\" is missing in {{%s}}".formatted(token, String.join(" ", tokens)));
            }
        }

        void end() {
            if (at < tokens.size()) {
                throw wrong("\"%s\" was not expected".formatted(tokens.get(at)));
            }
        }
    }
}
