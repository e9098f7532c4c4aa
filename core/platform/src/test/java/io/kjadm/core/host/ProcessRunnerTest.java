package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.etcd.CommonReason;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

class ProcessRunnerTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final CommandRunner runner = new ProcessRunner("/usr/bin:/bin");

    private Output shell(String script, Duration limit) {
        return runner.run(List.of("sh", "-c", script), limit);
    }

    @Test
    void bothStreamsAndTheStatusComeBack() {
        assertEquals(
                new Output(3, "out\n", "err\n"), shell("echo out; echo err >&2; exit 3", LIMIT));
    }

    @Test
    void inputIsEmptyAndMessagesAreNotTranslated() {
        assertEquals(new Output(0, "C\n", ""), shell("cat; echo $LC_ALL", LIMIT));
    }

    @Test
    void muchOutputDoesNotBlock() {
        assertEquals(
                300_000,
                shell("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2", LIMIT)
                        .stderr()
                        .length());
    }

    @Test
    void hangingProgramIsEnded() {
        HostException late = assertThrows(
                HostException.class, () -> shell("sleep 100 & wait", Duration.ofMillis(300)));
        assertEquals(Optional.of(CommonReason.TIMED_OUT), late.reason());
    }

    @Test
    void missingProgramIsAFailure() {
        HostException missing = assertThrows(
                HostException.class, () -> runner.run(List.of("no-such-program-here"), LIMIT));
        assertEquals("cannot run no-such-program-here", missing.what());
        assertFalse(runner.isInstalled("no-such-program-here"));
        assertTrue(runner.isInstalled("sh"));
        assertFalse(new ProcessRunner(null).isInstalled("sh"));
    }
}
