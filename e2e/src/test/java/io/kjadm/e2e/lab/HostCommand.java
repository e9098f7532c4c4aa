package io.kjadm.e2e.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A command that runs on this machine and not in a node. What it writes to standard error goes to
 * that of this run, unless it is merged into its output.
 */
public final class HostCommand {
    private final ProcessBuilder process;

    private HostCommand(List<String> words) {
        process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /** A script of this checkout, by its path below the top folder. */
    public static HostCommand script(String path, String... words) {
        var command = new ArrayList<>(List.of(Checkout.folder(path).toString()));
        command.addAll(List.of(words));
        return new HostCommand(command);
    }

    static HostCommand program(String... words) {
        return new HostCommand(List.of(words));
    }

    /** Sets a variable of its environment. */
    public HostCommand with(String variable, String value) {
        process.environment().put(variable, value);
        return this;
    }

    /** As {@link #with(String, String)}, with a path. */
    public HostCommand with(String variable, Path value) {
        return with(variable, value.toString());
    }

    /** Lets its output contain what it writes to standard error, in the order of writing. */
    public HostCommand mergingErrors() {
        process.redirectErrorStream(true);
        return this;
    }

    /** Runs it with nothing to read, and waits for it. */
    public Outcome run() {
        var started = System.nanoTime();
        try {
            var running = process.start();
            running.getOutputStream().close();
            var output =
                    new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Outcome(
                    String.join(" ", process.command()),
                    running.waitFor(),
                    output,
                    "",
                    Duration.ofNanos(System.nanoTime() - started));
        } catch (IOException e) {
            throw new IllegalStateException("could not run " + process.command(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + process.command(), e);
        }
    }
}
