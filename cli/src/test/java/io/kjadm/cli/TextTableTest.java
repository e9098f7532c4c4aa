package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

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
}
