package io.kjadm.cli.console;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;

/**
 * The last line of a terminal, which changes while the lines above it stay. Whatever is written
 * through a {@link #guarding} stream, by whom and from which thread ever, takes the place of the
 * line, which is drawn again below it in the same write: nobody sees half of it.
 *
 * <p>The cursor stands at its beginning. There, erasing to the end of the screen removes all of it,
 * also when the window was made narrower meanwhile and the terminal has broken the line in two, or
 * when it has echoed {@code ^C} into it.
 */
public final class LiveLine {

    private static final String ERASE = "\r\033[J";
    // In one piece with the line, so that a program that is killed leaves no terminal that does not
    // wrap. The line is cut here; the terminal cuts where the width is not known, or counted wrong.
    private static final String NO_WRAPPING = "\033[?7l";
    private static final String WRAPPING = "\033[?7h";
    private static final Pattern SEQUENCES = Pattern.compile("(\\x1b\\[[0-9;?]*[A-Za-z])*");

    private final OutputStream terminal;
    private final IntSupplier columns;
    private final boolean capable;
    private String text = "";
    private boolean drawn;
    private boolean midLine;

    private LiveLine(OutputStream terminal, IntSupplier columns, boolean capable) {
        this.terminal = terminal;
        this.columns = columns;
        this.capable = capable;
    }

    /**
     * A line on that terminal.
     *
     * @param columns how wide it is at the moment, or {@link TerminalWidth#UNKNOWN}; asked before
     *                each drawing
     */
    static LiveLine on(OutputStream terminal, IntSupplier columns) {
        return new LiveLine(terminal, columns, true);
    }

    /** For files, pipes, and terminals that cannot erase. */
    public static LiveLine none() {
        return new LiveLine(OutputStream.nullOutputStream(), () -> TerminalWidth.UNKNOWN, false);
    }

    /** Whether anything can be shown. */
    boolean capable() {
        return capable;
    }

    /** Shows this instead of what was shown; while somebody else's line has no end yet, later. */
    void show(String sentence) {
        if (!capable) {
            return;
        }
        // asked before the lock is taken: it may be a program that answers
        String cut = DisplayWidth.cut(
                PlainText.of(sentence.replaceAll("\\s+", " ")), columns.getAsInt());
        synchronized (this) {
            text = cut;
            draw();
        }
    }

    /** Takes the line away; the cursor is where it began. */
    public synchronized void end() {
        text = "";
        if (drawn) {
            drawn = false;
            write(terminal, ERASE.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Draws it again over what the terminal has echoed. False if there is none. */
    public synchronized boolean redraw() {
        boolean there = drawn;
        draw();
        return there;
    }

    /** Somebody typed the end of the line that a question had begun. */
    synchronized void lineEnded() {
        midLine = false;
        draw();
    }

    private void draw() {
        if (text.isEmpty() || midLine) {
            return;
        }
        write(terminal, ((drawn ? ERASE : "") + line()).getBytes(StandardCharsets.UTF_8));
        drawn = true;
    }

    private String line() {
        return NO_WRAPPING + text + WRAPPING + "\r";
    }

    /** A stream to this terminal whose lines do not mix with the live one. */
    OutputStream guarding(OutputStream stream) {
        return capable ? new Guarding(stream) : stream;
    }

    private synchronized void put(OutputStream stream, byte[] bytes, int offset, int length) {
        if (length == 0) {
            return;
        }
        byte[] before = bytes(drawn ? ERASE : "");
        midLine = !endsLine(bytes, offset, length);
        drawn = !midLine && !text.isEmpty();
        byte[] after = bytes(drawn ? line() : "");
        byte[] all = new byte[before.length + length + after.length];
        System.arraycopy(before, 0, all, 0, before.length);
        System.arraycopy(bytes, offset, all, before.length, length);
        System.arraycopy(after, 0, all, before.length + length, after.length);
        write(stream, all);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Whether the cursor is at the beginning of a line then: sequences do not count. */
    private static boolean endsLine(byte[] bytes, int offset, int length) {
        int last = offset + length - 1;
        while (last >= offset && bytes[last] != '\n') {
            last--;
        }
        return last >= offset
                && SEQUENCES
                        .matcher(new String(
                                bytes,
                                last + 1,
                                offset + length - last - 1,
                                StandardCharsets.ISO_8859_1))
                        .matches();
    }

    private static void write(OutputStream stream, byte[] bytes) {
        try {
            stream.write(bytes);
            stream.flush();
        } catch (IOException e) {
            // a terminal that is gone reads nothing; the work goes on, as with any PrintStream
        }
    }

    private final class Guarding extends OutputStream {

        private final OutputStream stream;

        Guarding(OutputStream stream) {
            this.stream = stream;
        }

        @Override
        public void write(int single) {
            put(stream, new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            put(stream, bytes, offset, length);
        }
    }
}
