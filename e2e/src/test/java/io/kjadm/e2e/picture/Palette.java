package io.kjadm.e2e.picture;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** The colours of the terminal, as CSS writes them. */
final class Palette {

    static final String TEXT = "#d0d7de";
    static final String PAPER = "#161b22";

    /** Black, red, green, yellow, blue, magenta, cyan, white, and the bright eight. */
    private static final List<String> NAMED = List.of(
            "#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
            "#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff");

    private static final int CUBE = 16;
    private static final int GREYS = 232;

    private Palette() {}

    /** One of 256: the named ones, a cube of six levels for each of red, green, blue, and greys. */
    static String indexed(int index) {
        if (index < CUBE) {
            return NAMED.get(Math.max(index, 0));
        }
        if (index >= GREYS) {
            int grey = 8 + 10 * (Math.min(index, 255) - GREYS);
            return rgb(grey, grey, grey);
        }
        int place = index - CUBE;
        return rgb(level(place / 36), level(place / 6 % 6), level(place % 6));
    }

    private static int level(int sixth) {
        return sixth == 0 ? 0 : 55 + 40 * sixth;
    }

    private static String rgb(int red, int green, int blue) {
        return "#%02x%02x%02x".formatted(red & 0xff, green & 0xff, blue & 0xff);
    }

    /** What follows a 38 or 48: 5 and an index, or 2 and red, green and blue. */
    static Optional<String> chosenBy(Iterator<Integer> codes) {
        return switch (next(codes)) {
            case 5 -> Optional.of(indexed(next(codes)));
            case 2 -> Optional.of(rgb(next(codes), next(codes), next(codes)));
            default -> Optional.empty();
        };
    }

    private static int next(Iterator<Integer> codes) {
        return codes.hasNext() ? codes.next() : 0;
    }
}
