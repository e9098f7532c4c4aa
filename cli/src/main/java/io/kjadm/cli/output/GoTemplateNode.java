package io.kjadm.cli.output;

import java.util.List;
import java.util.Optional;

/** A part of a Go template. */
sealed interface GoTemplateNode {

    /** Text as it is. */
    record Text(String text) implements GoTemplateNode {}

    /** A value, printed. */
    record Print(Pipeline value) implements GoTemplateNode {}

    /** A variable that gets a value; {@code declares} for {@code :=}. */
    record Assign(String variable, boolean declares, Pipeline value) implements GoTemplateNode {}

    /** {@code if}, or, where the value becomes the dot, {@code with}. */
    record Choice(
            boolean with,
            Optional<String> variable,
            Pipeline condition,
            List<GoTemplateNode> then,
            List<GoTemplateNode> otherwise)
            implements GoTemplateNode {}

    /** {@code range}, with up to two variables: the item, or position and item. */
    record Range(
            List<String> variables,
            Pipeline over,
            List<GoTemplateNode> body,
            List<GoTemplateNode> otherwise)
            implements GoTemplateNode {}

    /** Commands of which each gets the value of the one before as its last argument. */
    record Pipeline(List<Command> commands) {}

    /** A term alone, or a function and its arguments. */
    record Command(List<Term> terms) {}

    /** What stands for a value. */
    sealed interface Term {
        /** Text, number, boolean or nil. */
        record Literal(Object value) implements Term {}

        /** The name of a function. */
        record Function(String name) implements Term {}

        /** The dot, a variable (with {@code $}) or parentheses, and fields of it. */
        record Path(Start start, List<String> fields) implements Term {}
    }

    /** Where a path starts. */
    sealed interface Start {
        /** The value that {@code range} and {@code with} set. */
        record Dot() implements Start {}

        /** A variable, {@code $} for the whole object. */
        record Variable(String name) implements Start {}

        /** The value of another pipeline. */
        record Nested(Pipeline pipeline) implements Start {}
    }
}
