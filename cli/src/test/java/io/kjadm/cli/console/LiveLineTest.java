package io.kjadm.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.VirtualTerminal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/** What is on the screen of a terminal while a line changes below what others write. */
final class LiveLineTest {

    private final VirtualTerminal terminal = new VirtualTerminal(20);
    private int columns = 20;
    private final LiveLine live = LiveLine.on(terminal, () -> columns);
    private final PrintStream out = stream();
    private final PrintStream err = stream();

    private PrintStream stream() {
        return new PrintStream(live.guarding(terminal), true, StandardCharsets.UTF_8);
    }

    @Test
    void theLaterSentenceTakesThePlaceOfTheFormer() {
        live.show("waiting 10s");
        live.show("waiting");
        assertEquals("waiting", terminal.screen());
        assertFalse(terminal.onAFreshLine());
        live.end();
        assertEquals("", terminal.screen());
        assertTrue(terminal.onAFreshLine());
        assertTrue(terminal.wraps());
    }

    @Test
    void linesOfBothStreamsStandAboveIt() {
        out.println("first");
        live.show("waiting");
        err.println("second");
        out.print("third\nfourth\n");
        assertEquals("first\nsecond\nthird\nfourth\nwaiting", terminal.screen());
        live.end();
        assertEquals("first\nsecond\nthird\nfourth", terminal.screen());
        assertTrue(terminal.onAFreshLine());
    }

    @Test
    void aLineThatHasNoEndYetIsNotTorn() {
        live.show("waiting");
        out.print("Are you sure? ");
        live.show("still waiting");
        assertEquals("Are you sure?", terminal.screen());
        terminal.type("y\r\n");
        live.lineEnded();
        assertEquals("Are you sure? y\nstill waiting", terminal.screen());
        out.print("half ");
        err.println("a line");
        assertEquals("Are you sure? y\nhalf a line\nstill waiting", terminal.screen());
    }

    @Test
    void sequencesBehindTheEndOfALineLeaveItEnded() {
        live.show("waiting");
        out.print("drawn\n\033[J");
        assertEquals("drawn\nwaiting", terminal.screen());
    }

    @Test
    void emptyWritesChangeNothing() {
        live.show("waiting");
        out.print("");
        assertEquals("waiting", terminal.screen());
        out.print("half");
        out.print("");
        live.show("waiting");
        assertEquals("half", terminal.screen());
    }

    @ParameterizedTest
    @ValueSource(ints = {20, TerminalWidth.UNKNOWN, 500})
    void whatIsWiderThanTheTerminalIsOneLineWhateverWidthIsTold(int told) {
        columns = told;
        live.show("waiting for something that takes its time");
        assertEquals(1, terminal.screen().lines().count(), terminal.screen());
        out.println("and this one is a longer line, which is not cut");
        live.end();
        assertEquals("and this one is a lo\nnger line, which is\nnot cut", terminal.screen());
    }

    @Test
    void theCutShowsThatItIsOne() {
        live.show("waiting for something that takes its time");
        assertEquals("waiting for someth…", terminal.screen());
        columns = 10;
        live.show("waiting for something that takes its time");
        assertEquals("waiting …", terminal.screen());
    }

    @Test
    void wideCharactersTakeTwoColumns() {
        live.show("等待等待等待等待等待");
        assertEquals("等待等待等待等待等…", terminal.screen());
        live.show("x等待等待等待等待等待");
        assertEquals("x等待等待等待等待…", terminal.screen());
    }

    @Test
    void lineEndsTabsAndSequencesInASentenceDoNothing() {
        live.show("one\n\ttwo \033[2J");
        assertEquals("one two \\u001b[2J", terminal.screen());
    }

    @Test
    void anEchoedControlCharacterIsDrawnOver() {
        live.show("waiting");
        terminal.type("^C");
        assertTrue(live.redraw());
        assertEquals("waiting", terminal.screen());
        live.end();
        assertEquals("", terminal.screen());
        assertFalse(live.redraw());
    }

    @Test
    void aLineThatANarrowedTerminalHasBrokenIsErasedAsAWhole() {
        out.println("a line above");
        live.show("waiting for it");
        terminal.narrow(8);
        assertEquals("a line a\nbove\nwaiting\nfor it", terminal.screen());
        columns = 8;
        live.show("waiting for it");
        assertEquals("a line a\nbove\nwaitin…", terminal.screen());
        live.end();
        assertTrue(terminal.onAFreshLine());
    }

    @Test
    void whereNothingCanBeErasedNothingIsShown() {
        ByteArrayOutputStream pipe = new ByteArrayOutputStream();
        LiveLine none = LiveLine.none();
        PrintStream plain = new PrintStream(none.guarding(pipe), true, StandardCharsets.UTF_8);
        none.show("waiting");
        plain.print("a line\n");
        none.end();
        assertFalse(none.capable());
        assertFalse(none.redraw());
        assertEquals("a line\n", pipe.toString(StandardCharsets.UTF_8));
    }

    /** Two threads write lines to both streams, and a third draws: each line comes out whole. */
    @Test
    void linesOfSeveralThreadsComeOutWhole() throws InterruptedException {
        List<Thread> threads = List.of(
                Thread.ofPlatform()
                        .unstarted(() ->
                                IntStream.range(0, 500).forEach(i -> out.println("out " + i))),
                Thread.ofPlatform()
                        .unstarted(() ->
                                IntStream.range(0, 500).forEach(i -> err.println("err " + i))),
                Thread.ofPlatform()
                        .unstarted(() ->
                                IntStream.range(0, 500).forEach(i -> live.show("waiting " + i))));
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        List<String> lines = terminal.screen().lines().toList();
        assertEquals("waiting 499", lines.getLast());
        assertEquals(1001, lines.size());
        for (String name : List.of("out ", "err ")) {
            assertEquals(
                    IntStream.range(0, 500).mapToObj(i -> name + i).toList(),
                    lines.stream().filter(line -> line.startsWith(name)).toList());
        }
        live.end();
        assertTrue(terminal.onAFreshLine());
    }
}
