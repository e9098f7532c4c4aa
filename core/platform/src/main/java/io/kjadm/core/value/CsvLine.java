package io.kjadm.core.value;

import java.util.ArrayList;
import java.util.List;

/**
 * One line of comma-separated values by RFC 4180, as the list flags of kubeadm read theirs: an item
 * in double quotes may hold commas, and two double quotes in it stand for one.
 */
public final class CsvLine {

    private static final char QUOTE = '"';

    private final String text;
    private int next;

    private CsvLine(String text) {
        this.text = text;
    }

    /**
     * The items, without their quotes.
     *
     * @throws IllegalArgumentException saying what is wrong with the quotes
     */
    public static List<String> items(String text) {
        CsvLine line = new CsvLine(text);
        List<String> items = new ArrayList<>();
        do {
            items.add(line.item());
        } while (line.next++ < text.length());
        return items;
    }

    private String item() {
        return next < text.length() && text.charAt(next) == QUOTE ? quoted() : plain();
    }

    private String plain() {
        int end = text.indexOf(',', next);
        String item = text.substring(next, end < 0 ? text.length() : end);
        if (item.indexOf(QUOTE) >= 0) {
            throw new IllegalArgumentException("a quote stands within an item: " + item);
        }
        next += item.length();
        return item;
    }

    private String quoted() {
        StringBuilder item = new StringBuilder();
        for (next++; next < text.length(); next++) {
            if (text.charAt(next) == QUOTE && !startsTwoQuotes()) {
                next++;
                requireEnd();
                return item.toString();
            }
            item.append(text.charAt(next));
        }
        throw new IllegalArgumentException("a quote is not closed");
    }

    /** Whether a second quote follows, which is passed over. */
    private boolean startsTwoQuotes() {
        boolean two = text.startsWith("\"\"", next);
        next += two ? 1 : 0;
        return two;
    }

    private void requireEnd() {
        if (next < text.length() && text.charAt(next) != ',') {
            throw new IllegalArgumentException("something follows a quote that was closed");
        }
    }
}
