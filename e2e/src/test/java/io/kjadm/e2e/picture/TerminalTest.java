package io.kjadm.e2e.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.e2e.picture.Screen.Line;
import io.kjadm.e2e.picture.Screen.Run;
import io.kjadm.e2e.picture.Style.Effect;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;

/** What is on a small screen after a program wrote to it. */
final class TerminalTest {

    private static final int COLUMNS = 20;
    private static final int ROWS = 4;

    private static Screen.View view(String... outputs) {
        var screen = new Screen(COLUMNS, ROWS);
        var terminal = new Terminal(screen);
        List.of(outputs).forEach(terminal::write);
        return screen.view();
    }

    /** The rows as text, scrolled away or not. */
    private static List<String> rows(String... outputs) {
        return view(outputs).lines().stream().map(TerminalTest::text).toList();
    }

    private static String text(Line line) {
        var text = new StringBuilder();
        for (Run run : line.runs()) {
            text.repeat(' ', run.column() - text.length()).append(run.text());
        }
        return text.toString().stripTrailing();
    }

    /** The style of the only run of the only row. */
    private static Style style(String output) {
        return view(output).lines().getFirst().runs().getFirst().style();
    }

    @Test
    void liveLineLeavesItsLastStateOnly() {
        assertEquals(
                List.of("[etcd] joined"),
                rows(
                        "\r\033[K[etcd] waiting 1 s",
                        "\r\033[K[etcd] waiting 10 s",
                        "\r\033[K",
                        "[etcd] joined\r\n"));
        assertEquals(List.of("done 1 s"), rows("wait 1 s\rdone"), "what is not erased stays");
    }

    @Test
    void wrappedLiveLineLeavesItsBeginningAsOnARealTerminal() {
        assertEquals(
                List.of("a line that is too l", "over"),
                rows("a line that is too long\r\033[Kover"));
    }

    @Test
    void lineThatMayNotWrapIsCut() {
        assertEquals(
                List.of("a line that is too g", "over"),
                rows("\033[?7la line that is too long\033[?7h\r\nover"));
        assertEquals(List.of("over"), rows("\033[?7la line that is too long\033[?7h\r\033[Kover"));
        assertEquals(
                List.of("12345678901234567890", "1"),
                rows("\033[?7l\033[?7h123456789012345678901"),
                "and the next one wraps again");
    }

    @Test
    void textWrapsWithTheCharacterAfterTheLastColumn() {
        assertEquals(List.of("12345678901234567890"), rows("12345678901234567890"));
        assertEquals(List.of("12345678901234567890", "1"), rows("123456789012345678901"));
        assertEquals(
                List.of("12345678901234567890", "next"),
                rows("12345678901234567890\r\nnext"),
                "a full row and a line feed are one row");
    }

    @Test
    void screenScrollsAndRowsKeepTheirNumbers() {
        var view = view("1\r\n2\r\n3\r\n4\r\n5\r\n6");
        assertEquals(2, view.top());
        assertEquals("1", text(view.lines().getFirst()));
        assertEquals("6", text(view.lines().get(5)));
    }

    @Test
    void cursorMovesWithinTheScreen() {
        assertEquals(
                List.of("one", "TWO", "three!"),
                rows("one\r\ntwo\r\nthree\033[A\033[GTWO\033[B\033[3D\033[5C!"));
        assertEquals(List.of("abc"), rows("axc\b\bb"));
        assertEquals(List.of("", "  x"), rows("\033[2;3Hx"));
        assertEquals(List.of("x"), rows("\033[99Ax"));
        assertEquals(List.of("a       b       c"), rows("a\tb\tc"));
        assertEquals(List.of("1", "2", "3", "4", "x"), rows("1\r\n2\r\n3\r\n4\r\n5\033[99;1Hx"));
        assertEquals(
                List.of("1", "x", "3", "4", "5"),
                rows("1\r\n2\r\n3\r\n4\r\n5\033[Hx"),
                "home is the top of the screen, not of what was scrolled away");
    }

    @Test
    void partsOfRowAndScreenAreErased() {
        assertEquals(List.of("ab"), rows("abcdef\033[4D\033[K"));
        assertEquals(List.of("   def"), rows("abcdef\033[4D\033[1K"));
        assertEquals(List.of(), rows("abcdef\033[2K"));
        assertEquals(List.of("1", "2"), rows("1\r\n2x\r\n3\033[A\033[J"));
        assertEquals(List.of("", " x", "3"), rows("1\r\n2x\r\n3\033[1;1H\033[2;1H\033[1J"));
        assertEquals(List.of(), rows("1\r\n2\r\n3\033[2J"));
        assertEquals(List.of("1"), rows("1\r\n2\r\n3\r\n4\r\n5\033[2J"), "1 is out of reach");
    }

    @Test
    void coloursOfAllThreeKindsAreKnown() {
        assertEquals(Palette.indexed(1), style("\033[31mx").ink());
        assertEquals(Palette.indexed(9), style("\033[91mx").ink());
        assertEquals(Palette.indexed(4), style("\033[44mx").paper());
        assertEquals(Palette.indexed(12), style("\033[104mx").paper());
        assertEquals("#ff8700", style("\033[38;5;208mx").ink());
        assertEquals("#080808", style("\033[48;5;232mx").paper());
        assertEquals("#0102ff", style("\033[38;2;1;2;255mx").ink());
        assertEquals(Style.PLAIN, style("\033[31;42;1m\033[mx"));
        assertEquals(Style.PLAIN, style("\033[31;42m\033[39;49mx"));
    }

    @Test
    void effectsAreSetAndTakenBack() {
        assertEquals(
                Set.of(Effect.BOLD, Effect.DIM, Effect.ITALIC, Effect.UNDERLINE),
                style("\033[1;2;3;4mx").effects());
        assertEquals(Set.of(Effect.UNDERLINE), style("\033[1;2;4;22mx").effects());
        assertEquals(Palette.PAPER, style("\033[7mx").ink());
        assertEquals(Palette.TEXT, style("\033[7mx").paper());
    }

    @Test
    void coloursSplitARowIntoRuns() {
        var runs = view("plain \033[32mok\033[0m").lines().getFirst().runs();
        assertEquals(
                List.of(new Run(0, "plain ", Style.PLAIN), new Run(6, "ok", style("\033[32mx"))),
                runs);
    }

    @Test
    void whatIsNotUnderstoodIsPassedOver() {
        assertEquals(
                List.of("abcdefg"),
                rows(
                        "a\033]0;title\007b\033]8;;http://x\033\\c\033[?25ld",
                        "\033(Be\033=\007f\033[5ng\033[>c\033[99999999999A"));
    }

    @Test
    void sequencesMayBeTornAnywhere() {
        String output = "\033]0;t\033\\one\r\033[K\033[1;31mtwo → 𝄞\033[0m\r\nend";
        var torn = output.codePoints().mapToObj(Character::toString).toArray(String[]::new);
        assertEquals(view(output), view(torn));
        assertTrue(rows(torn).getFirst().startsWith("two → 𝄞"));
    }
}
