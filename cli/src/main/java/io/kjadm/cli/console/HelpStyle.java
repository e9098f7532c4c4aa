package io.kjadm.cli.console;

import picocli.CommandLine;
import picocli.CommandLine.Help;

import java.util.Map;
import java.util.function.IntSupplier;

/**
 * What the help looks like.
 *
 * @param columns    of the terminal that shows it; asked only when help is printed
 * @param emphasised whether names stand out by escape sequences
 */
public record HelpStyle(IntSupplier columns, boolean emphasised) {

    /** For pipes and files. */
    public static final HelpStyle PLAIN = new HelpStyle(() -> TerminalWidth.UNKNOWN, false);

    private static final int USUAL = 80;
    /** picocli refuses less. */
    private static final int NARROWEST = 55;
    /** Longer lines are hard to read. */
    private static final int WIDEST = 120;
    /** From here on the names of flags get a column that holds nearly all of them. */
    private static final int ROOMY = 100;

    private static final int SHORT_NAMES = 20;
    private static final int LONG_NAMES = 36;

    /**
     * What the environment asks for: {@code COLUMNS}, {@code TERM}, and {@code NO_COLOR} if it is
     * not empty (no-color.org).
     *
     * @param terminal whether help goes to one
     */
    static HelpStyle of(Map<String, String> environment, boolean terminal) {
        IntSupplier real = terminal ? TerminalWidth.ofDescriptor(1) : () -> TerminalWidth.UNKNOWN;
        return new HelpStyle(
                () -> TerminalWidth.exportedOr(environment.get("COLUMNS"), real),
                terminal
                        && Console.canErase(environment)
                        && environment.getOrDefault("NO_COLOR", "").isEmpty());
    }

    /** How wide its lines may be. */
    int width() {
        int known = columns.getAsInt();
        return known == TerminalWidth.UNKNOWN
                ? USUAL
                : Math.max(NARROWEST, Math.min(known, WIDEST));
    }

    /** Prints the help of that command, and of those below it, in this style. */
    public void applyTo(CommandLine command) {
        command.setColorScheme(Help.defaultColorScheme(emphasised ? Help.Ansi.ON : Help.Ansi.OFF));
        command.setHelpFactory((spec, colors) -> {
            int width = width();
            spec.usageMessage()
                    .width(width)
                    .longOptionsMaxWidth(width < ROOMY ? SHORT_NAMES : LONG_NAMES);
            return new Help(spec, colors);
        });
    }
}
