package io.kjadm.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DisplayWidthTest {

    @ParameterizedTest
    @CsvSource({"'',0", "abc,3", "äöü,3", "等待,4", "한국,4", "ｆｕｌｌ,8", "😀,2", "a…b,3"})
    void charactersTakeNoneOneOrTwoColumns(String text, int columns) {
        assertEquals(columns, DisplayWidth.of(text));
    }

    @Test
    void marksStandAboveTheLetterBeforeThem() {
        assertEquals(1, DisplayWidth.of("e\u0301"));
        assertEquals(1, DisplayWidth.of("e\u200b"));
    }

    @ParameterizedTest
    @CsvSource({
        "abcdef,7,abcdef",
        "abcdef,6,abcd…",
        "abcdef,2,…",
        "abcdef,1,…",
        "abcdef,0,abcdef",
        "等待等待,9,等待等待",
        "等待等待,8,等待等…",
        "等待等待,7,等待…",
        "😀😀😀,6,😀😀…"
    })
    void theCutLeavesTheLastColumnFree(String text, int columns, String cut) {
        assertEquals(cut, DisplayWidth.cut(text, columns));
        assertTrue(columns < 2 || DisplayWidth.of(cut) < columns);
    }
}
