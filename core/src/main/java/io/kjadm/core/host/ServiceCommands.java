package io.kjadm.core.host;

import io.kjadm.core.error.HostException;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Runs the programs of an init system and turns failures into answers. */
record ServiceCommands(CommandRunner runner) {

    private static final Duration CHANGE_LIMIT = Duration.ofMinutes(2);
    private static final Duration ASK_LIMIT = Duration.ofSeconds(20);

    /** Runs a command that changes something; the warning if it fails. */
    Optional<String> change(String what, String... command) {
        try {
            CommandRunner.Output output = runner.run(List.of(command), CHANGE_LIMIT);
            return output.ok()
                    ? Optional.empty()
                    : Optional.of("%s: \"%s\" ended with status %d: %s"
                            .formatted(
                                    what,
                                    String.join(" ", command),
                                    output.exitStatus(),
                                    output.stderr().strip()));
        } catch (HostException e) {
            return Optional.of("%s: %s".formatted(what, e.getMessage()));
        }
    }

    /** The answer to a question; empty if the program cannot even be run. */
    Optional<CommandRunner.Output> ask(String... command) {
        try {
            return Optional.of(runner.run(List.of(command), ASK_LIMIT));
        } catch (HostException unanswered) {
            return Optional.empty();
        }
    }
}
