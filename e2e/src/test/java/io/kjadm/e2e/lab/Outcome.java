package io.kjadm.e2e.lab;

import java.time.Duration;

/**
 * How a command ended.
 *
 * @param command what was run, in a node or on this machine, for messages
 * @param status its exit status
 * @param stdout all it wrote to standard output
 * @param stderr all it wrote to standard error
 * @param took the time it needed, as seen from outside
 */
public record Outcome(String command, int status, String stdout, String stderr, Duration took) {
    public boolean succeeded() {
        return status == 0;
    }

    /**
     * This outcome, if the command succeeded; otherwise an assertion error that shows everything it
     * wrote.
     */
    public Outcome orFail() {
        if (succeeded()) {
            return this;
        }
        throw new AssertionError(
                "exit status %d of: %s%n%s".formatted(status, command, everything()));
    }

    /**
     * This outcome, if the command failed with status 1 and told a reason; otherwise an assertion
     * error that shows everything it wrote.
     *
     * @param reason a check, a code or a word of the reason
     */
    public Outcome failsFor(String reason) {
        if (status == 1 && stderr.contains(reason)) {
            return this;
        }
        throw new AssertionError("exit status %d, and not 1 for \"%s\", of: %s%n%s"
                .formatted(status, reason, command, everything()));
    }

    public String everything() {
        return stdout + stderr;
    }
}
