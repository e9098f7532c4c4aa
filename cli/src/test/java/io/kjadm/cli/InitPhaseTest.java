package io.kjadm.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.cli.TestConsole.Run;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Single phases of {@code init}, as far as they run on any machine. */
class InitPhaseTest {

    private static Run phase(String words) {
        return TestConsole.run(("init phase " + words).split(" "));
    }

    @Test
    void anExtraArgumentIsWrittenOnce() {
        Run run = phase("control-plane apiserver --dry-run --apiserver-advertise-address 192.0.2.10"
                + " --kubernetes-version v1.36.2 --apiserver-extra-args foo=bar,n=5");
        assertEquals(0, run.status(), run.all());
        assertEquals(List.of("- --foo=bar", "- --n=5"), run.out().lines().map(String::strip)
                .filter(line -> line.startsWith("- --foo=") || line.startsWith("- --n=")).toList());
    }
}
