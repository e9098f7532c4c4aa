package io.kjadm.core.timing;

import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.timing.Span.Kind;

import java.time.Duration;
import java.util.List;

/**
 * Notes how long each program ran, with its arguments: these are never secrets, as anybody on the
 * machine can read them.
 */
public record TimedRunner(CommandRunner runner, Timings timings) implements CommandRunner {

    @Override
    public Output run(List<String> command, Duration limit) {
        return timings.measured(
                Kind.CALL, String.join(" ", command), () -> runner.run(command, limit));
    }

    @Override
    public boolean isInstalled(String program) {
        return runner.isInstalled(program);
    }
}
