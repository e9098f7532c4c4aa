package io.kjadm.core.host;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;
import io.kjadm.etcd.CommonReason;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Runs programs as processes of this machine, with untranslated messages. */
public final class ProcessRunner implements CommandRunner {

    private final String searchPath;

    /** Searches programs in that path, directories separated by colons. */
    public ProcessRunner(String searchPath) {
        this.searchPath = searchPath == null ? "" : searchPath;
    }

    @Override
    public Output run(List<String> command, Duration limit) {
        Process process = start(command);
        CompletableFuture<String> stdout = reading(process.getInputStream());
        CompletableFuture<String> stderr = reading(process.getErrorStream());
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new TimeoutException();
            }
            // a child left in the background may hold the pipes open; its output is not awaited for
            // long
            return new Output(
                    process.exitValue(),
                    stdout.get(5, TimeUnit.SECONDS),
                    stderr.get(5, TimeUnit.SECONDS));
        } catch (TimeoutException e) {
            throw new HostException(
                    CommonReason.TIMED_OUT,
                    "%s did not finish within %d s"
                            .formatted(String.join(" ", command), limit.toSeconds()),
                    "the program or something it waits for hangs",
                    "run it by hand to see what it waits for",
                    e);
        } catch (ExecutionException e) {
            throw cannotRun(command, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cannotRun(command, e);
        } finally {
            destroy(process);
        }
    }

    private Process start(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        // answers are compared with English words
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("SYSTEMD_PAGER", "");
        try {
            return builder.start();
        } catch (IOException e) {
            throw cannotRun(command, e);
        }
    }

    private static HostException cannotRun(List<String> command, Throwable cause) {
        return new HostException(
                "cannot run " + String.join(" ", command),
                Causes.words(cause),
                "check that %s is installed and may be executed".formatted(command.getFirst()),
                cause);
    }

    private static CompletableFuture<String> reading(InputStream stream) {
        CompletableFuture<String> text = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (stream) {
                text.complete(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                text.completeExceptionally(new UncheckedIOException(e));
            }
        });
        return text;
    }

    private static void destroy(Process process) {
        if (process.isAlive()) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    @Override
    public boolean isInstalled(String program) {
        Stream<String> directories = Pattern.compile(":").splitAsStream(searchPath);
        return directories
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .anyMatch(file -> Files.isRegularFile(file) && Files.isExecutable(file));
    }
}
