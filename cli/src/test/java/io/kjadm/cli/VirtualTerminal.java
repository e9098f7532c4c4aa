package io.kjadm.cli;

import io.kjadm.cli.console.DisplayWidth;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A terminal for tests: interprets what the program writes, and tells what is then on the screen.
 * A sequence that it does not know fails the test.
 */
public final class VirtualTerminal extends OutputStream {

    private static final Pattern SEQUENCE = Pattern.compile("\033\\[([0-9;?]*)([A-Za-z])");

    private int columns;
    private final List<StringBuilder> lines = new ArrayList<>(List.of(new StringBuilder()));
    private final StringBuilder written = new StringBuilder();
    private int row;
    private int column;
    private boolean wraps = true;

    public VirtualTerminal(int columns) {
        this.columns = columns;
    }

    @Override
    public void write(int single) {
        throw new IllegalStateException("a single byte may be half of a character");
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
        String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
        written.append(text);
        type(text);
    }

    /** What somebody types, or the terminal echoes. */
    public synchronized void type(String text) {
        Matcher sequence = SEQUENCE.matcher(text);
        for (int i = 0; i < text.length(); ) {
            if (text.charAt(i) == '\033') {
                if (!sequence.find(i) || sequence.start() != i) {
                    throw new IllegalStateException("no sequence: " + text.substring(i));
                }
                interpret(sequence.group(1) + sequence.group(2));
                i = sequence.end();
            } else {
                put(text.codePointAt(i));
                i += Character.charCount(text.codePointAt(i));
            }
        }
    }

    /** Somebody makes the window narrower: lines are broken, the cursor stays in its own. */
    public synchronized void narrow(int fewer) {
        columns = fewer;
        List<StringBuilder> broken = new ArrayList<>();
        int cursor = 0;
        for (int i = 0; i < lines.size(); i++) {
            if (i == row) {
                cursor = broken.size() + column / columns;
            }
            StringBuilder line = lines.get(i);
            for (int at = 0; at == 0 || at < line.length(); at += columns) {
                broken.add(new StringBuilder(
                        line.substring(at, Math.min(at + columns, line.length()))));
            }
        }
        lines.clear();
        lines.addAll(broken);
        row = cursor;
        column %= columns;
    }

    private void interpret(String sequence) {
        switch (sequence) {
            case "J" -> {
                erase();
                lines.subList(row + 1, lines.size()).clear();
            }
            case "?7l" -> wraps = false;
            case "?7h" -> wraps = true;
            default -> throw new IllegalStateException("unknown sequence " + sequence);
        }
    }

    private void erase() {
        lines.get(row).setLength(Math.min(column, lines.get(row).length()));
    }

    private void put(int character) {
        switch (character) {
            case '\r' -> column = 0;
            case '\n' -> newLine();
            default -> print(Character.toString(character));
        }
    }

    private void newLine() {
        row++;
        column = 0;
        if (row == lines.size()) {
            lines.add(new StringBuilder());
        }
    }

    /** A wide character takes two cells; the second one is empty, which is written as NUL. */
    private void print(String character) {
        String cells = DisplayWidth.of(character) == 2 ? character.charAt(0) + "\0" : character;
        if (column + cells.length() > columns) {
            if (wraps) {
                newLine();
            } else {
                column = columns - cells.length();
            }
        }
        StringBuilder line = lines.get(row);
        while (line.length() < column + cells.length()) {
            line.append(' ');
        }
        line.replace(column, column + cells.length(), cells);
        column += cells.length();
    }

    /** Every line without the blanks at its end; those below the last that holds something not. */
    public synchronized String screen() {
        return String.join(
                        "\n",
                        lines.stream()
                                .map(line -> line.toString().replace("\0", "").stripTrailing())
                                .toList())
                .stripTrailing();
    }

    /** Whether the next character begins a line that is empty. */
    public synchronized boolean onAFreshLine() {
        return column == 0 && lines.get(row).toString().isBlank() && row == lines.size() - 1;
    }

    /** Whether long lines go on in the next one again. */
    public synchronized boolean wraps() {
        return wraps;
    }

    /** All that came, as it came. */
    public synchronized String written() {
        return written.toString();
    }
}
