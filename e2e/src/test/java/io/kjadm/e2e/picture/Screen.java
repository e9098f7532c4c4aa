package io.kjadm.e2e.picture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The characters on a terminal and its cursor. Rows that were scrolled away are kept, and rows are
 * counted from the first one ever, so that a line keeps its number when the screen scrolls. Every
 * character takes one cell, also those that a terminal gives two or none.
 */
final class Screen {

    /** Text that follows without a change of style. */
    record Run(int column, String text, Style style) {}

    /** A row as its runs; a row that shows nothing has none. */
    record Line(List<Run> runs) {
        Line {
            runs = List.copyOf(runs);
        }

        boolean isBlank() {
            return runs.isEmpty();
        }
    }

    /**
     * @param top   the number of the topmost row on the screen
     * @param lines all rows from the first, without blank ones at the end
     */
    record View(int top, List<Line> lines) {
        View {
            lines = List.copyOf(lines);
        }
    }

    private record Cell(int character, Style style) {}

    private static final Cell BLANK = new Cell(' ', Style.PLAIN);
    private static final int TAB = 8;

    private final int columns;
    private final int rows;
    private final List<Cell[]> cells = new ArrayList<>();
    private int top;
    private int row;
    private int column;
    /** The last column was written; the next character goes to the next row. */
    private boolean full;

    private boolean wrapping = true;
    private Style style = Style.PLAIN;

    Screen(int columns, int rows) {
        this.columns = columns;
        this.rows = rows;
        growTo(row);
    }

    void put(int character) {
        if (full) {
            column = 0;
            feedLine();
        }
        cells.get(row)[column] = new Cell(character, style);
        full = wrapping && column == columns - 1;
        column = Math.min(column + 1, columns - 1);
    }

    void feedLine() {
        row++;
        top = Math.max(top, row - rows + 1);
        full = false;
        growTo(row);
    }

    /** @param on whether text goes on in the next row, or overwrites the last column */
    void wrap(boolean on) {
        wrapping = on;
        full = false;
    }

    void tab() {
        toColumn((column / TAB + 1) * TAB);
    }

    void toColumn(int wanted) {
        column = Math.clamp(wanted, 0, columns - 1);
        full = false;
    }

    /** @param wanted counted from the top of the screen */
    void toRow(int wanted) {
        row = top + Math.clamp(wanted, 0, rows - 1);
        full = false;
        growTo(row);
    }

    void moveBy(int downwards, int rightwards) {
        toRow(row - top + downwards);
        toColumn(column + rightwards);
    }

    void eraseInLine(Erase part) {
        eraseInRow(row, part);
    }

    void eraseInScreen(Erase part) {
        eraseInLine(part);
        int from = part == Erase.TO_END ? row + 1 : top;
        int to = part == Erase.TO_START ? row : cells.size();
        for (int erased = from; erased < to; erased++) {
            eraseInRow(erased, Erase.ALL);
        }
    }

    private void eraseInRow(int erased, Erase part) {
        int from = part == Erase.TO_END ? column : 0;
        int to = part == Erase.TO_START ? column + 1 : columns;
        Arrays.fill(cells.get(erased), from, to, BLANK);
    }

    enum Erase {
        TO_END,
        TO_START,
        ALL
    }

    void restyle(List<Integer> codes) {
        style = style.after(codes);
    }

    private void growTo(int wanted) {
        while (cells.size() <= wanted) {
            var blank = new Cell[columns];
            Arrays.fill(blank, BLANK);
            cells.add(blank);
        }
    }

    View view() {
        var lines = new ArrayList<>(cells.stream().map(Screen::line).toList());
        while (!lines.isEmpty() && lines.getLast().isBlank()) {
            lines.removeLast();
        }
        return new View(top, lines);
    }

    private static Line line(Cell[] row) {
        var runs = new ArrayList<Run>();
        int start = 0;
        for (int end = 1; end <= row.length; end++) {
            if (end == row.length || !row[end].style().equals(row[start].style())) {
                var text = new StringBuilder();
                Arrays.stream(row, start, end).map(Cell::character).forEach(text::appendCodePoint);
                runs.add(new Run(start, text.toString(), row[start].style()));
                start = end;
            }
        }
        runs.removeIf(run -> run.text().isBlank() && run.style().paper().equals(Palette.PAPER));
        return new Line(runs);
    }
}
