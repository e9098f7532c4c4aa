package io.kjadm.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.List;

class TextTableTest {

    @Test
    void columnsAreAsWideAsTheirWidestCellAndThreeMoreButNotNarrow() {
        TextTable table = new TextTable(List.of("A", "LONG HEADER", "LAST"));
        table.row(List.of("12345678", "x", "no blanks at the end"));
        assertEquals("""
                A          LONG HEADER   LAST
                12345678   x             no blanks at the end
                """, table.text());
        assertEquals("A         B\n", new TextTable(List.of("A", "B")).text());
    }

    @Test
    void aCellCanNeitherDriveTheTerminalNorAddARow() {
        TextTable table = new TextTable(List.of("NAME", "LABELS"));
        table.row(List.of("a\u001b[31m", "x\u009b2J\nb\ty"));
        assertEquals("""
                NAME          LABELS
                a\\u001b[31m   x\\u009b2J\\u000ab\\u0009y
                """, table.text());
    }
}
