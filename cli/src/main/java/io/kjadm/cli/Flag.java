package io.kjadm.cli;

import io.kjadm.core.config.GoBoolean;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * A flag of a command. Its value is passed on as typed: what it means, and what it is when not
 * given, is the configuration's to say.
 *
 * @param name        long name without dashes, kubeadm's
 * @param shortName   one letter, or empty
 * @param kind        what may be typed
 * @param description for the help; says the default where there is one
 */
record Flag(String name, String shortName, Kind kind, String description) {

    /** What may be typed after a flag. */
    enum Kind {
        /** One value; the last one counts. */
        TEXT("string"),
        /** Several, between commas or by repeating the flag. */
        LIST("strings"),
        /** A whole number. */
        NUMBER("int"),
        /** A Go duration such as {@code 1h30m}. */
        DURATION("duration"),
        /** Nothing, or a boolean after {@code =}; the next word is never its value. */
        SWITCH("bool");

        private final String label;

        Kind(String label) {
            this.label = label;
        }
    }

    static Flag text(String name, String description) {
        return new Flag(name, "", Kind.TEXT, description);
    }

    static Flag list(String name, String description) {
        return new Flag(name, "", Kind.LIST, description);
    }

    static Flag number(String name, String description) {
        return new Flag(name, "", Kind.NUMBER, description);
    }

    static Flag duration(String name, String description) {
        return new Flag(name, "", Kind.DURATION, description);
    }

    static Flag onOff(String name, String description) {
        return new Flag(name, "", Kind.SWITCH, description);
    }

    /** The same with a one-letter form. */
    Flag shortOption(String letter) {
        return new Flag(name, letter, kind, description);
    }

    /** The option that parses it. */
    OptionSpec toOption() {
        String[] names = shortName.isEmpty()
                ? new String[] {"--" + name}
                : new String[] {"-" + shortName, "--" + name};
        OptionSpec.Builder option = OptionSpec.builder(names).description(description);
        return switch (kind) {
            case TEXT, NUMBER, DURATION ->
                option.type(String.class).arity("1").paramLabel(kind.label).build();
            case LIST ->
                option.type(String[].class)
                        .auxiliaryTypes(String.class)
                        .arity("1")
                        .paramLabel(kind.label)
                        .build();
            // an arity that is spelled out, 0 or 0..1, refuses a value or eats the next word
            case SWITCH -> option.type(Boolean.class).converters(Flag::bool).build();
        };
    }

    private static Boolean bool(String text) {
        return GoBoolean.parse(text)
                .orElseThrow(() ->
                        new TypeConversionException("\"%s\" is not a boolean".formatted(text)));
    }
}
