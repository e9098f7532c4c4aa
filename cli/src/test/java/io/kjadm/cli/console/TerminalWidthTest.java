package io.kjadm.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

final class TerminalWidthTest {

    @Test
    void itIsAskedAnewButNotMoreThanOnceASecond() {
        AtomicLong nanos = new AtomicLong(-5);
        AtomicInteger asked = new AtomicInteger(80);
        TerminalWidth width = new TerminalWidth(asked::getAndIncrement, nanos::get);
        assertEquals(80, width.getAsInt());
        nanos.addAndGet(Duration.ofMillis(999).toNanos());
        assertEquals(80, width.getAsInt());
        nanos.addAndGet(Duration.ofMillis(1).toNanos());
        assertEquals(81, width.getAsInt());
    }

    @Test
    void withoutAnAnswerTheFormerCounts() {
        AtomicLong nanos = new AtomicLong();
        AtomicInteger told = new AtomicInteger(TerminalWidth.UNKNOWN);
        TerminalWidth width = new TerminalWidth(told::get, nanos::get);
        assertEquals(TerminalWidth.UNKNOWN, width.getAsInt());
        for (int columns : new int[] {70, TerminalWidth.UNKNOWN}) {
            told.set(columns);
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            assertEquals(70, width.getAsInt());
        }
    }

    @ParameterizedTest
    @CsvSource({"'24 132\n',132", "'0 0\n',0", "'',0", "'24',0", "'a b',0", "'24 -1',0"})
    void whatIsNoSizeIsUnknown(String size, int columns) {
        assertEquals(columns, TerminalWidth.ofSize(size));
    }

    @ParameterizedTest
    @CsvSource(
            value = {"100,100", "NULL,70", "'',70", "0,70", "wide,70", "-3,70", "99999999999,70"},
            nullValues = "NULL")
    void whatIsExportedCountsIfItIsAWidth(String columns, int width) {
        assertEquals(width, TerminalWidth.exportedOr(columns, () -> 70));
    }
}
