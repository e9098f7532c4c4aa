package io.kjadm.cli.kube;

import io.kjadm.cli.console.Failure;
import io.kjadm.core.host.FileChanges.Change;
import io.kjadm.core.timing.Span;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A run of a workflow that has ended.
 *
 * @param command  without the program, {@code upgrade apply} for example
 * @param began    when the process began
 * @param duration until now
 * @param spans    what took time, in the order in which it ended
 * @param files    that are different now
 * @param failure  why it failed, if it did
 */
public record RunSummary(
        String command,
        Instant began,
        Duration duration,
        List<Span> spans,
        List<Change> files,
        Optional<Failure> failure) {

    public RunSummary {
        spans = List.copyOf(spans);
        files = List.copyOf(files);
    }
}
