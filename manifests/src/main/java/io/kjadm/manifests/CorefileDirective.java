package io.kjadm.manifests;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of a Corefile, and the lines in braces after it.
 *
 * @param words at least one
 */
record CorefileDirective(List<String> words, List<CorefileDirective> block) {

    private static final Pattern TOKEN = Pattern.compile(
            "(?<newline>\\n)|#[^\\n]*|\"(?<quoted>(?:[^\"\\\\]|\\\\.)*)\"|(?<word>[^\\s#]+)",
            Pattern.DOTALL);

    CorefileDirective {
        words = List.copyOf(words);
        block = Collections.unmodifiableList(block);
    }

    String name() {
        return words.getFirst();
    }

    /** The directives outside all braces: the server blocks. */
    static List<CorefileDirective> parse(String text) {
        List<CorefileDirective> top = new ArrayList<>();
        Deque<List<CorefileDirective>> open = new ArrayDeque<>(List.of(top));
        List<String> line = new ArrayList<>();
        List<CorefileDirective> block = new ArrayList<>();
        for (Matcher token = TOKEN.matcher(text + "\n"); token.find(); ) {
            boolean opens = "{".equals(token.group("word"));
            boolean closes = "}".equals(token.group("word"));
            if (token.group("word") != null && !opens && !closes) {
                line.add(token.group("word"));
            } else if (token.group("quoted") != null) {
                line.add(token.group("quoted").replace("\\\"", "\""));
            } else if (!line.isEmpty() && (opens || closes || token.group("newline") != null)) {
                block = new ArrayList<>();
                open.peek().add(new CorefileDirective(line, block));
                line = new ArrayList<>();
            }
            if (opens) {
                open.push(block);
            } else if (closes && open.size() > 1) {
                open.pop();
            }
        }
        return top;
    }
}
