package io.kjadm.cli;

import static io.kjadm.etcd.Lines.assertHasLine;

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
        assertHasLine(
                "# Licensed under the Apache License, Version 2.0 (the \"License\"); you may not use this file except in",
                run.out());
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
        assertHasLine("autoload -U +X bashcompinit && bashcompinit", run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"completion", "completion fish", "completion bash zsh"})
    void oneKnownShellMustBeNamed(String words) {
        Run run = TestConsole.run(words.split(" "));
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertHasLine("Next: use kjadm completion bash, or kjadm completion zsh", run.err());
    }
}
