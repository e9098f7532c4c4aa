package io.kjadm.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text for a terminal that cannot drive it: what servers and files say is part of many sentences.
 */
final class PlainText {

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\x{80}-\\x{9f}&&[^\n\t]]");

    private PlainText() {}

    /** The same with control characters, but for line ends and tabs, as {@code \\u001b}. */
    static String of(String text) {
        Matcher control = CONTROL.matcher(text);
        return control.replaceAll(found ->
                Matcher.quoteReplacement("\\u%04x".formatted((int) found.group().charAt(0))));
    }
}
