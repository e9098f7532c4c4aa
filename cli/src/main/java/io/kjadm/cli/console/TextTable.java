package io.kjadm.cli.console;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows in columns, as wide as their widest cell and some blanks. What a cell says may come from a
 * server or a store: its control characters, line ends too, are escaped.
 */
public final class TextTable {

    private static final int NARROWEST = 10;
    private static final int PADDING = 3;

    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(List<String> header) {
        row(header);
    }

    /** Adds a row with a cell for each column. */
    public void row(List<String> cells) {
        rows.add(cells.stream().map(PlainText::cell).toList());
    }

    /** All lines; the last cell of each ends it. */
    public String text() {
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            for (int column = 0; column < row.size() - 1; column++) {
                String cell = row.get(column);
                text.append(cell).append(" ".repeat(width(column) - cell.length()));
            }
            text.append(row.getLast()).append('\n');
        }
        return text.toString();
    }

    private int width(int column) {
        int widest =
                rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
        return Math.max(NARROWEST, widest + PADDING);
    }
}
