package io.kjadm.cli.console;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text for a terminal that cannot drive it: what servers and files say is part of many sentences.
 */
public final class PlainText {

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\x{80}-\\x{9f}&&[^\n\t]]");
    private static final Pattern ANY_CONTROL = Pattern.compile("[\\p{Cntrl}\\x{80}-\\x{9f}]");

    private PlainText() {}

    /** The same with control characters, but for line ends and tabs, as {@code \\u001b}. */
    public static String of(String text) {
        return escaped(CONTROL, text);
    }

    /** The same of a cell of a table, which has no line ends and tabs either. */
    static String cell(String text) {
        return escaped(ANY_CONTROL, text);
    }

    private static String escaped(Pattern which, String text) {
        Matcher control = which.matcher(text);
        return control.replaceAll(found ->
                Matcher.quoteReplacement("\\u%04x".formatted((int) found.group().charAt(0))));
    }
}
