package io.kjadm.cli.console;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.Main;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How wide the help is, and what stands out in it. */
final class HelpStyleTest {

    private static String help(HelpStyle style, String words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int status = new Main(new Console(out, out, LiveLine.none(), style)).run(words.split(" "));
        assertEquals(0, status);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static int widest(String text) {
        return text.lines().mapToInt(String::length).max().orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"0,80", "40,55", "55,55", "80,80", "100,100", "120,120", "121,120", "300,120"})
    void helpIsAsWideAsTheTerminalUpToAPoint(int terminal, int width) {
        assertEquals(width, new HelpStyle(() -> terminal, false).width());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "init --help",
                "join -h",
                "help reset",
                "help init phase certs",
                "help",
                "token create --help",
                "help etcd member cleanup"
            })
    void noLineIsWiderThanThat(String words) {
        for (int width : List.of(72, 100, 120)) {
            String text = help(new HelpStyle(() -> width, false), words);
            assertTrue(widest(text) <= width, text);
        }
    }

    @Test
    void theWidthIsUsed() {
        assertTrue(widest(help(new HelpStyle(() -> 200, false), "init --help")) > 110);
        assertTrue(widest(help(HelpStyle.PLAIN, "init --help")) > 70);
    }

    @Test
    void phasesStandInTwoColumns() {
        String text = help(new HelpStyle(() -> 70, false), "init --help");
        List<String> lines = text.substring(text.indexOf("Phases:\n")).lines().toList();
        assertEquals("  preflight                       Run pre-flight checks", lines.get(1));
        assertEquals("  certs                           Certificate generation", lines.get(2));

        lines.stream().skip(1).forEach(line -> {
            assertEquals("  ", line.substring(32, 34), line);
            assertFalse(line.substring(34).isBlank() || line.charAt(34) == ' ', line);
        });
        assertEquals(
                List.of(
                        "    /ca                           Generate the self-signed Kubernetes",
                        " ".repeat(34) + "CA to provision identities for other",
                        " ".repeat(34) + "Kubernetes components"),
                lines.subList(3, 6));
    }

    @Test
    void aHiddenPhaseIsNotListed() {
        String text = help(new HelpStyle(() -> 120, false), "join --help");
        assertHasLine("etcd-join               Join this node's etcd member to the cluster", text);
        assertEquals(
                List.of(
                        "preflight",
                        "control-plane-prepare",
                        "kubelet-start",
                        "etcd-join",
                        "kubelet-wait-bootstrap",
                        "control-plane-join",
                        "wait-control-plane"),
                text.substring(text.indexOf("Phases:\n"))
                        .lines()
                        .filter(line -> line.matches("  [a-z].*"))
                        .map(line -> line.strip().split(" ")[0])
                        .toList());
    }

    @Test
    void namesStandOutOnlyWhereThatIsWanted() {
        assertEquals(
                "Usage: \033[1mkjadm init\033[21m\033[0m [OPTIONS] [COMMAND]",
                help(new HelpStyle(() -> 80, true), "init --help")
                        .lines()
                        .findFirst()
                        .orElseThrow());
        assertEquals(
                Set.of(),
                Named.controlCharacters(help(new HelpStyle(() -> 80, false), "init --help")));
    }

    @Test
    void noColorTermAndAPipeTakeTheEmphasisAway() {
        Map<String, String> term = Map.of("TERM", "xterm");
        assertTrue(HelpStyle.of(term, true).emphasised());
        assertFalse(HelpStyle.of(term, false).emphasised());
        assertFalse(HelpStyle.of(Map.of("TERM", "dumb"), true).emphasised());
        assertFalse(HelpStyle.of(Map.of(), true).emphasised());
        assertFalse(HelpStyle.of(Map.of("TERM", "xterm", "NO_COLOR", "1"), true).emphasised());
        assertFalse(HelpStyle.of(Map.of("TERM", "xterm", "NO_COLOR", "0"), true).emphasised());
        assertTrue(HelpStyle.of(Map.of("TERM", "xterm", "NO_COLOR", ""), true).emphasised());
    }

    @Test
    void columnsCountInAPipeToo() {
        assertEquals(100, HelpStyle.of(Map.of("COLUMNS", "100"), false).width());
        assertEquals(80, HelpStyle.of(Map.of(), false).width());
    }
}
