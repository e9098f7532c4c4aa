package io.kjadm.cli.output;

import java.util.Optional;

/** Text in quotes, as templates write it. */
final class QuotedText {

    private QuotedText() {}

    /** The content, if the text is one pair of quotes and what is between them. */
    static Optional<String> whole(String text) {
        if (text.length() < 2) {
            return Optional.empty();
        }
        int end = end(text, 0);
        return end == text.length()
                ? Optional.of(content(text.substring(1, end - 1)))
                : Optional.empty();
    }

    /** The index after the quote that closes the one at {@code start}, or -1. */
    static int end(String text, int start) {
        char quote = text.charAt(start);
        for (int i = start + 1; i < text.length(); i++) {
            if (text.charAt(i) == '\\' && quote != '`') {
                i++;
            } else if (text.charAt(i) == quote) {
                return i + 1;
            }
        }
        return -1;
    }

    /** Text between quotes with its backslashes resolved. */
    static String content(String escaped) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < escaped.length(); i++) {
            char c = escaped.charAt(i);
            if (c == '\\' && i + 1 < escaped.length()) {
                char named = escaped.charAt(++i);
                c = switch (named) {
                    case 'n' -> '\n';
                    case 't' -> '\t';
                    case 'r' -> '\r';
                    default -> named;
                };
            }
            text.append(c);
        }
        return text.toString();
    }
}
