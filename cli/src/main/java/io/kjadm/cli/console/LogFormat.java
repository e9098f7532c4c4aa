package io.kjadm.cli.console;

import io.kjadm.core.flag.Flag;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The formats of {@code --log-format}: what is not a result is text, or events.
 */
public enum LogFormat {
    TEXT,
    JSON;

    private static final String FLAG = "--" + Flag.LOG_FORMAT;

    /** The one of a name. */
    public static Optional<LogFormat> named(String name) {
        return List.of(values()).stream()
                .filter(format -> format.toString().equals(name))
                .findFirst();
    }

    /**
     * The one that a command line asks for, the last if it does so twice. It is looked for before the
     * line is parsed: that may fail, and the failure has the format, too. Names that do not exist
     * are for the parser to refuse.
     *
     * @param arguments words first, then flags
     */
    public static LogFormat of(String... arguments) {
        LogFormat found = TEXT;
        for (int i = 0; i < arguments.length && !arguments[i].equals("--"); i++) {
            String argument = arguments[i];
            if (argument.startsWith(FLAG + "=")) {
                found = named(argument.substring(FLAG.length() + 1)).orElse(found);
            } else if (argument.equals(FLAG) && i + 1 < arguments.length) {
                found = named(arguments[i + 1]).orElse(found);
            }
        }
        return found;
    }

    /** As it is typed. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
