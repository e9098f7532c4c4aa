package io.kjadm.cli.command;

import io.kjadm.core.flag.Flag;
import io.kjadm.core.value.GoBoolean;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

import java.util.List;
import java.util.stream.Stream;

/**
 * A flag as an option of one command. Its value is passed on as typed: what it means, and what it
 * is when not given, is the configuration's to say.
 *
 * @param help what the flag does to this command, with the default where there is one
 */
public record FlagOption(Flag flag, String help) {

    /** With the help that the flag has everywhere. */
    public static FlagOption of(Flag flag) {
        return new FlagOption(flag, flag.help());
    }

    /** The same for several flags, in the order of the command's help. */
    public static List<FlagOption> all(Flag... flags) {
        return Stream.of(flags).map(FlagOption::of).toList();
    }

    /** Some options, and others behind them. */
    public static List<FlagOption> all(List<FlagOption> options, Flag... more) {
        return Stream.concat(options.stream(), all(more).stream()).toList();
    }

    /** The same options with a help of this command's own for some of the flags. */
    public static List<FlagOption> explained(List<FlagOption> options, FlagOption... own) {
        return options.stream()
                .map(option -> Stream.of(own)
                        .filter(better -> better.flag == option.flag)
                        .findFirst()
                        .orElse(option))
                .toList();
    }

    /** The option that parses it. */
    public OptionSpec toOption() {
        String longOption = "--" + flag;
        String[] names = flag.letter().isEmpty()
                ? new String[] {longOption}
                : new String[] {"-" + flag.letter(), longOption};
        OptionSpec.Builder option = OptionSpec.builder(names).description(help);
        String label = flag.kind().label();
        return switch (flag.kind()) {
            case TEXT, NUMBER, DURATION ->
                option.type(String.class).arity("1").paramLabel(label).build();
            case LIST ->
                option.type(String[].class)
                        .auxiliaryTypes(String.class)
                        .arity("1")
                        .paramLabel(label)
                        .build();
            // an arity that is spelled out, 0 or 0..1, refuses a value or eats the next word
            case SWITCH ->
                option.type(Boolean.class).converters(FlagOption::bool).build();
        };
    }

    private static Boolean bool(String text) {
        return GoBoolean.parse(text)
                .orElseThrow(() ->
                        new TypeConversionException("\"%s\" is not a boolean".formatted(text)));
    }
}
