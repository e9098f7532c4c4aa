package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.cli.TestConsole.Run;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class CompletionCommandTest {

    @Test
    void bashGetsCodeForAllCommandsAndPhases() {
        Run run = TestConsole.run("completion", "bash");
        assertEquals(0, run.status());
        assertEquals("", run.err());
        assertTrue(
                run.outLines().subList(0, 6).stream()
                        .allMatch(line -> line.isEmpty() || line.startsWith("#")),
                run.all());
        assertTrue(run.out().contains("Apache License"));
        List.of(
                        "_complete_kjadm",
                        "_picocli_kjadm_token_create",
                        "_picocli_kjadm_init_phase_certs",
                        "--discovery-token-ca-cert-hash")
                .forEach(text -> assertTrue(run.out().contains(text), text));
    }

    @Test
    void zshFindsItsDirectiveInTheFirstLine() {
        Run run = TestConsole.run("completion", "zsh");
        assertEquals(0, run.status());
        assertEquals("#compdef kjadm", run.outLines().getFirst());
        assertTrue(run.out().contains("bashcompinit"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"completion", "completion fish", "completion bash zsh"})
    void oneKnownShellMustBeNamed(String words) {
        Run run = TestConsole.run(words.split(" "));
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertTrue(run.err().contains("bash"), run.all());
    }
}
