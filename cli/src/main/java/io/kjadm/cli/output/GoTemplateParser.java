package io.kjadm.cli.output;

import io.kjadm.cli.output.GoTemplateNode.Command;
import io.kjadm.cli.output.GoTemplateNode.Pipeline;
import io.kjadm.cli.output.GoTemplateNode.Start;
import io.kjadm.cli.output.GoTemplateNode.Term;
import io.kjadm.core.error.UsageException;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads Go templates: everything but {@code define}, {@code template}, {@code block},
 * {@code break}, {@code continue}.
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
    static List<GoTemplateNode> parse(String template) {
        GoTemplateParser parser = new GoTemplateParser(GoTemplateTokens.pieces(template));
        List<GoTemplateNode> nodes = parser.nodes();
        if (parser.at < parser.pieces.size()) {
            throw wrong("{{%s}} has nothing to belong to"
                    .formatted(parser.pieces.get(parser.at).first()));
        }
        return nodes;
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
    private List<GoTemplateNode> nodes() {
        List<GoTemplateNode> nodes = new ArrayList<>();
        while (at < pieces.size()) {
            GoTemplateTokens.Piece piece = pieces.get(at);
            if (!piece.action()) {
                nodes.add(new GoTemplateNode.Text(piece.text()));
                at++;
                continue;
            }
            String first = piece.first();
            if (first.equals("else") || first.equals("end")) {
                return nodes;
            }
            if (UNSUPPORTED.contains(first)) {
                throw wrong("\"%s\" is not supported".formatted(first));
            }
            at++;
            nodes.add(
                    switch (first) {
                        case "if", "with" -> choice(first, new Tokens(piece.tokens(), 1));
                        case "range" -> range(new Tokens(piece.tokens(), 1));
                        default -> statement(new Tokens(piece.tokens(), 0));
                    });
        }
        return nodes;
    }

    private GoTemplateNode choice(String keyword, Tokens tokens) {
        Optional<String> variable = Optional.empty();
        if (tokens.peek().startsWith("$") && tokens.peek(1).equals(":=")) {
            variable = Optional.of(tokens.next());
            tokens.next();
        }
        Pipeline condition = pipeline(tokens);
        tokens.end();
        List<GoTemplateNode> then = nodes();
        GoTemplateTokens.Piece stop = stop(keyword);
        boolean with = keyword.equals("with");
        if (stop.first().equals("end")) {
            return new GoTemplateNode.Choice(with, variable, condition, then, List.of());
        }
        if (stop.tokens().size() > 1 && stop.tokens().get(1).equals(keyword)) {
            GoTemplateNode chained = choice(keyword, new Tokens(stop.tokens(), 2));
            return new GoTemplateNode.Choice(with, variable, condition, then, List.of(chained));
        }
        return new GoTemplateNode.Choice(with, variable, condition, then, otherwise(keyword, stop));
    }

    private GoTemplateNode range(Tokens tokens) {
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
        Pipeline over = pipeline(tokens);
        tokens.end();
        List<GoTemplateNode> body = nodes();
        GoTemplateTokens.Piece stop = stop("range");
        return new GoTemplateNode.Range(
                variables,
                over,
                body,
                stop.first().equals("end") ? List.of() : otherwise("range", stop));
    }

    private List<GoTemplateNode> otherwise(String keyword, GoTemplateTokens.Piece stop) {
        if (stop.tokens().size() > 1) {
            throw wrong("{{else}} of \"%s\" is followed by \"%s\""
                    .formatted(keyword, stop.tokens().get(1)));
        }
        List<GoTemplateNode> otherwise = nodes();
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

    private static GoTemplateNode statement(Tokens tokens) {
        String operator = tokens.peek(1);
        if (tokens.peek().startsWith("$") && (operator.equals(":=") || operator.equals("="))) {
            String variable = tokens.next();
            tokens.next();
            Pipeline value = pipeline(tokens);
            tokens.end();
            return new GoTemplateNode.Assign(variable, operator.equals(":="), value);
        }
        Pipeline value = pipeline(tokens);
        tokens.end();
        return new GoTemplateNode.Print(value);
    }

    private static Pipeline pipeline(Tokens tokens) {
        List<Command> commands = new ArrayList<>();
        commands.add(command(tokens));
        while (tokens.peek().equals("|")) {
            tokens.next();
            commands.add(command(tokens));
        }
        return new Pipeline(commands);
    }

    private static Command command(Tokens tokens) {
        List<Term> terms = new ArrayList<>();
        while (!tokens.peek().isEmpty()
                && !tokens.peek().equals("|")
                && !tokens.peek().equals(")")) {
            terms.add(term(tokens));
        }
        if (terms.isEmpty()) {
            throw wrong("a value is missing");
        }
        if (terms.size() > 1 && !(terms.getFirst() instanceof Term.Function)) {
            throw wrong("only a function takes arguments");
        }
        return new Command(terms);
    }

    private static Term term(Tokens tokens) {
        String token = tokens.next();
        char first = token.charAt(0);
        if (first == '(') {
            Pipeline nested = pipeline(tokens);
            tokens.expect(")");
            // a field follows without a space; with one, it would be the next argument
            String fields = tokens.peek().startsWith(GoTemplateTokens.ATTACHED)
                    ? tokens.next().substring(1)
                    : "";
            return new Term.Path(new Start.Nested(nested), fields(fields));
        }
        if (first == '"' || first == '`') {
            String content = token.substring(1, token.length() - 1);
            return new Term.Literal(first == '`' ? content : QuotedText.content(content));
        }
        if (first == '.') {
            return new Term.Path(new Start.Dot(), fields(token));
        }
        if (first == '$') {
            int dot = token.indexOf('.');
            return new Term.Path(
                    new Start.Variable(dot < 0 ? token : token.substring(0, dot)),
                    fields(dot < 0 ? "" : token.substring(dot)));
        }
        return literal(token);
    }

    private static Term literal(String token) {
        return switch (token) {
            case "true" -> new Term.Literal(true);
            case "false" -> new Term.Literal(false);
            case "nil" -> new Term.Literal(null);
            default -> {
                if (token.matches("[-+]?\\d+")) {
                    yield new Term.Literal(Long.valueOf(token));
                }
                if (token.matches("[-+]?\\d*\\.\\d+")) {
                    yield new Term.Literal(new BigDecimal(token));
                }
                if (!GoTemplateFunctions.NAMES.contains(token)) {
                    throw wrong("there is no function \"%s\"".formatted(token));
                }
                yield new Term.Function(token);
            }
        };
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
