package io.kjadm.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts a Go template into text and actions, and actions into tokens. */
final class GoTemplateTokens {

    /** Marks a field that follows a closing parenthesis without a space. */
    static final String ATTACHED = "\u0000";

    private static final Pattern TOKEN =
            Pattern.compile("\"(?:\\\\.|[^\"\\\\])*\"|`[^`]*`|[-+]?\\d*\\.\\d+|[-+]?\\d+|:=|[=,|()]"
                    + "|\\$\\w*(?:\\.\\w+)*|\\.(?:\\w+(?:\\.\\w+)*)?|\\w+");

    private GoTemplateTokens() {}

    /**
     * Text, or the tokens of an action.
     *
     * @param text of a piece that is no action
     */
    record Piece(boolean action, String text, List<String> tokens) {

        /** The first token of an action. */
        String first() {
            return tokens.getFirst();
        }
    }

    /** The pieces in order; comments and trimmed blanks are gone. */
    static List<Piece> pieces(String template) {
        List<Piece> pieces = new ArrayList<>();
        int at = 0;
        boolean trim = false;
        while (at < template.length()) {
            int open = template.indexOf("{{", at);
            String text = template.substring(at, open < 0 ? template.length() : open);
            boolean trimEnd =
                    open >= 0 && template.startsWith("{{-", open) && isBlank(template, open + 3);
            text = trim ? text.stripLeading() : text;
            text = trimEnd ? text.stripTrailing() : text;
            if (!text.isEmpty()) {
                pieces.add(new Piece(false, text, List.of()));
            }
            if (open < 0) {
                break;
            }
            int start = open + (trimEnd ? 3 : 2);
            int close = close(template, start);
            String action = template.substring(start, close);
            trim = action.endsWith("-")
                    && action.length() > 1
                    && isBlank(action, action.length() - 2);
            action = (trim ? action.substring(0, action.length() - 1) : action).strip();
            if (!action.startsWith("/*")) {
                pieces.add(new Piece(true, "", tokens(action)));
            }
            at = close + 2;
        }
        return pieces;
    }

    private static boolean isBlank(String text, int index) {
        return index < text.length() && Character.isWhitespace(text.charAt(index));
    }

    /** The index of the braces that close an action; those within quotes or a comment do not. */
    private static int close(String template, int start) {
        int comment = template.startsWith("/*", start) || template.startsWith(" /*", start)
                ? template.indexOf("*/", start)
                : start;
        for (int i = comment; i >= 0 && i < template.length(); i++) {
            char c = template.charAt(i);
            if (template.startsWith("}}", i)) {
                return i;
            }
            if (c == '"' || c == '`') {
                int end = QuotedText.end(template, i);
                if (end < 0) {
                    break;
                }
                i = end - 1;
            }
        }
        throw GoTemplateParser.wrong("an action is not closed with }}");
    }

    private static List<String> tokens(String action) {
        List<String> tokens = new ArrayList<>();
        Matcher token = TOKEN.matcher(action);
        int at = 0;
        while (at < action.length()) {
            if (Character.isWhitespace(action.charAt(at))) {
                at++;
                continue;
            }
            if (!token.region(at, action.length()).lookingAt()) {
                throw GoTemplateParser.wrong(
                        "\"%s\" was not expected".formatted(action.substring(at)));
            }
            boolean attached =
                    at > 0 && action.charAt(at - 1) == ')' && token.group().startsWith(".");
            tokens.add(attached ? ATTACHED + token.group() : token.group());
            at = token.end();
        }
        if (tokens.isEmpty()) {
            throw GoTemplateParser.wrong("there is nothing in {{}}");
        }
        return tokens;
    }
}
