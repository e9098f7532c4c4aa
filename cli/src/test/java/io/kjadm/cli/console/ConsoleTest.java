package io.kjadm.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.Main;
import io.kjadm.cli.VirtualTerminal;
import io.kjadm.manifests.KubernetesReleases;

import org.junit.jupiter.api.Test;

import java.util.Map;

/** What a terminal is capable of, and what is left on it when a command has ended. */
final class ConsoleTest {

    @Test
    void aDumbTerminalAndNoneCannotErase() {
        assertTrue(Console.canErase(Map.of("TERM", "xterm-256color")));
        assertTrue(Console.canErase(Map.of("TERM", "linux", "NO_COLOR", "1")));
        assertFalse(Console.canErase(Map.of("TERM", "dumb")));
        assertFalse(Console.canErase(Map.of("TERM", "")));
        assertFalse(Console.canErase(Map.of()));
    }

    @Test
    void whateverACommandLeavesTheLineIsGoneWhenItHasEnded() {
        VirtualTerminal terminal = new VirtualTerminal(80);
        Console console = new Console(terminal, terminal, true);
        console.live().show("left behind");
        assertEquals(0, new Main(console).run("version", "-o", "short"));
        assertEquals(
                KubernetesReleases.KNOWN.newest().newestRelease().toString(),
                terminal.screen().strip());
        assertTrue(terminal.onAFreshLine());
    }

    @Test
    void aFailureTakesThePlaceOfTheLine() {
        VirtualTerminal terminal = new VirtualTerminal(80);
        Console console = new Console(terminal, terminal, true);
        console.live().show("left behind");
        assertEquals(1, new Main(console).run("inti"));
        assertEquals("""
                error: unknown command "inti" for "kjadm"; did you mean init?
                See 'kjadm --help' for usage.""", terminal.screen());
        assertTrue(terminal.onAFreshLine());
    }
}
