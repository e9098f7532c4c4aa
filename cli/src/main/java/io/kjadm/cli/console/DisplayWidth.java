package io.kjadm.cli.console;

/** How many columns text takes on a terminal. */
public final class DisplayWidth {

    private static final String CUT = "…";

    /** First and last of each range of East Asian wide and full-width characters (UAX #11). */
    private static final int[][] WIDE = {
        {0x1100, 0x115f},
        {0x2e80, 0x303e},
        {0x3041, 0xa4cf},
        {0xa960, 0xa97f},
        {0xac00, 0xd7a3},
        {0xf900, 0xfaff},
        {0xfe30, 0xfe6f},
        {0xff01, 0xff60},
        {0xffe0, 0xffe6},
        {0x1f300, 0x1f64f},
        {0x1f680, 0x1f6ff},
        {0x1f900, 0x1f9ff},
        {0x20000, 0x3fffd}
    };

    private DisplayWidth() {}

    /** Columns of the whole text. */
    public static int of(String text) {
        return text.codePoints().map(DisplayWidth::of).sum();
    }

    private static int of(int character) {
        int type = Character.getType(character);
        if (type == Character.NON_SPACING_MARK
                || type == Character.ENCLOSING_MARK
                || type == Character.FORMAT) {
            return 0;
        }
        for (int[] range : WIDE) {
            if (character >= range[0] && character <= range[1]) {
                return 2;
            }
        }
        return 1;
    }

    /**
     * As much of the text as fits into a line, which ends in {@code …} if that is not all. The last
     * column stays free: there some terminals begin the next line.
     *
     * @param columns of the terminal; all fits if they are {@link TerminalWidth#UNKNOWN}
     */
    static String cut(String text, int columns) {
        int room = Math.max(columns - 1, 1);
        if (columns == TerminalWidth.UNKNOWN || of(text) <= room) {
            return text;
        }
        int used = 1;
        int end = 0;
        while (used + of(text.codePointAt(end)) <= room) {
            used += of(text.codePointAt(end));
            end += Character.charCount(text.codePointAt(end));
        }
        return text.substring(0, end) + CUT;
    }
}
