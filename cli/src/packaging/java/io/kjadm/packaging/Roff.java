package io.kjadm.packaging;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A manual page in the language of groff and mandoc, see groff_man(7). Every text is escaped here:
 * what looks like a request is text, and a hyphen is the minus that can be copied to a shell.
 */
public final class Roff {

    private final StringBuilder page = new StringBuilder();
    private boolean afterHeading;

    /**
     * Begins a page of section 1.
     *
     * @param date as {@code 2026-11-20}
     */
    Roff title(String name, String date, String source, String manual) {
        // mandoc reads no date with escaped hyphens
        page.append(".TH \"%s\" 1 %s \"%s\" \"%s\"\n"
                .formatted(escaped(name), date, escaped(source), escaped(manual)));
        // long names leave nothing to stretch a line with, and hyphenated they are others
        page.append(".ad l\n.nh\n");
        return this;
    }

    /** One macro, with its arguments. */
    Roff macro(String name, String... arguments) {
        page.append('.').append(name);
        Stream.of(arguments)
                .forEach(
                        argument -> page.append(" \"").append(escaped(argument)).append('"'));
        page.append('\n');
        return this;
    }

    /** The heading of a section. */
    Roff heading(String title) {
        afterHeading = true;
        return macro("SH", title);
    }

    /** Text with a space above it; a heading has its own. */
    Roff paragraph(String text) {
        return (afterHeading ? this : macro("PP")).text(text);
    }

    /** Lines of running text; the reader's terminal decides where they are broken. */
    Roff text(String text) {
        afterHeading = false;
        page.append(text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .map(Roff::escaped)
                .map(Roff::notARequest)
                .map(line -> line + "\n")
                .collect(Collectors.joining()));
        return this;
    }

    /** A line as it is, indented: no reader's terminal breaks it. */
    Roff verbatim(String line) {
        macro("RS", "4").macro("nf");
        return text(line).macro("fi").macro("RE");
    }

    /** A term in bold, and below it what it means. */
    Roff term(String term, String meaning) {
        macro("TP");
        macro("B", term);
        // a term needs a body, or the next one is taken for it
        return meaning.isBlank() ? text("(no description)") : text(meaning);
    }

    @Override
    public String toString() {
        return page.toString();
    }

    private static String notARequest(String line) {
        return line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line;
    }

    private static String escaped(String text) {
        return text.codePoints().mapToObj(Roff::escaped).collect(Collectors.joining());
    }

    private static String escaped(int letter) {
        return switch (letter) {
            case '\\' -> "\\e";
            case '-' -> "\\-";
            case '\'' -> "\\(aq";
            case '"' -> "\\(dq";
            case '`' -> "\\(ga";
            case '^' -> "\\(ha";
            case '~' -> "\\(ti";
            default -> letter < 128 ? Character.toString(letter) : "\\[u%04X]".formatted(letter);
        };
    }
}
