package io.kjadm.e2e.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A command that runs in a node while something else goes on, and may be ended by a signal. */
public final class Running {
    private static final String SCRIPT =
            "echo $$ > \"$0.pid\"; exec \"$@\" > \"$0.out\" 2> \"$0.err\"";

    private final Node node;
    private final String files;
    private final CompletableFuture<Outcome> done;

    private Running(Node node, String files, CompletableFuture<Outcome> done) {
        this.node = node;
        this.files = files;
        this.done = done;
    }

    /** @param limit after which the command is ended, so that nothing hangs for ever */
    static Running start(Node node, Duration limit, String... command) {
        var files = "/root/running-" + Long.toHexString(System.nanoTime());
        var words = new ArrayList<>(
                List.of("timeout", String.valueOf(limit.toSeconds()), "bash", "-c", SCRIPT, files));
        words.addAll(Arrays.asList(command));
        node.shell("touch %1$s.out %1$s.err".formatted(files));
        return new Running(
                node,
                files,
                CompletableFuture.supplyAsync(
                        () -> node.exec(words.toArray(String[]::new)),
                        task -> Thread.ofVirtual().start(task)));
    }

    public boolean ended() {
        return done.isDone();
    }

    /** All it wrote until now. */
    public String output() {
        return node.read(files + ".out") + node.read(files + ".err");
    }

    /** Sends it a signal, by its process id; whether there still was a process to be sent one. */
    public boolean signal(String name) {
        return node.exec("bash", "-c", "kill -%s \"$(cat %s.pid)\"".formatted(name, files))
                .succeeded();
    }

    /**
     * The same a while after a file is there, more exactly than can be done from outside of the
     * node.
     */
    public boolean signalAfter(String path, Duration later, String name) {
        return node.exec(
                        "timeout",
                        "600",
                        "bash",
                        "-c",
                        "until [ -e %s ]; do sleep 0.02; done; sleep %d.%03d; kill -%s \"$(cat %s.pid)\""
                                .formatted(
                                        path, later.toSeconds(), later.toMillisPart(), name, files))
                .succeeded();
    }

    /** The same as soon as a shell condition is met, which is asked for again and again. */
    public boolean signalWhen(String condition, String name) {
        return node.exec(
                        "timeout",
                        "600",
                        "bash",
                        "-c",
                        "until [ -s %3$s.pid ]; do sleep 0.02; done; until %s; do kill -0 \"$(cat %3$s.pid)\" || exit 1; sleep 0.02; done; kill -%s \"$(cat %3$s.pid)\""
                                .formatted(condition, name, files))
                .succeeded();
    }

    /** Waits until it has ended; the exit status of one that was killed is 128 and the signal. */
    public Outcome outcome() {
        var ended = done.join();
        return new Outcome(
                ended.command(),
                ended.status(),
                node.read(files + ".out"),
                node.read(files + ".err"),
                ended.took());
    }
}
