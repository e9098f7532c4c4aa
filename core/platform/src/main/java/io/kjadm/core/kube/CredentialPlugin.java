package io.kjadm.core.kube;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;
import io.kjadm.core.net.Deadline;
import io.kjadm.manifests.ExecPlugin;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Runs a program that a kubeconfig names to get credentials from, as client-go does: with the
 * environment of this one and without a shell; what it says goes to standard error.
 */
final class CredentialPlugin {

    /** client-go waits for ever. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static final Duration LIMIT_OF_PEOPLE = Duration.ofMinutes(10);
    private static final int LONGEST = 1 << 20;
    private static final File NOTHING = new File("/dev/null");

    private final ExecPlugin plugin;
    private final boolean interactive;
    private final Duration limit;

    CredentialPlugin(ExecPlugin plugin, boolean terminal) {
        this(plugin, terminal, terminal ? LIMIT_OF_PEOPLE : LIMIT);
    }

    CredentialPlugin(ExecPlugin plugin, boolean terminal, Duration limit) {
        this.plugin = plugin;
        this.limit = limit;
        this.interactive = switch (plugin.interactiveMode()) {
            case NEVER -> false;
            case IF_AVAILABLE -> terminal;
            case ALWAYS -> {
                if (!terminal) {
                    throw failed("it asks on the terminal, and there is none");
                }
                yield true;
            }
        };
    }

    /** Whether it may ask on the terminal. */
    boolean interactive() {
        return interactive;
    }

    /**
     * What it answers.
     *
     * @param execInfo text of KUBERNETES_EXEC_INFO
     * @throws HostException if it is missing, fails, answers something else or not in time
     */
    ExecCredential run(String execInfo) {
        Process process = start(execInfo);
        try {
            byte[] answer = Deadline.within(limit, () -> output(process));
            if (process.exitValue() != 0) {
                throw failed("it ended with exit status " + process.exitValue());
            }
            return ExecCredential.parse(new String(answer, StandardCharsets.UTF_8), plugin);
        } catch (TimeoutException e) {
            throw failed("it did not finish within %d s".formatted(limit.toSeconds()));
        } catch (ExecutionException e) {
            throw failed(Causes.words(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(Causes.words(e));
        } finally {
            if (process.isAlive()) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
    }

    private Process start(String execInfo) {
        List<String> command = new ArrayList<>(List.of(plugin.command()));
        command.addAll(plugin.args());
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(Redirect.INHERIT)
                .redirectInput(interactive ? Redirect.INHERIT : Redirect.from(NOTHING));
        builder.environment().putAll(plugin.env());
        builder.environment().put("KUBERNETES_EXEC_INFO", execInfo);
        try {
            return builder.start();
        } catch (IOException | IllegalArgumentException e) {
            throw failed("it cannot be started: is it installed?");
        }
    }

    private static byte[] output(Process process) throws IOException, InterruptedException {
        try (InputStream out = process.getInputStream()) {
            byte[] bytes = out.readNBytes(LONGEST);
            if (bytes.length == LONGEST) {
                throw new IOException("its answer is longer than %d KiB".formatted(LONGEST >> 10));
            }
            process.waitFor();
            return bytes;
        }
    }

    private HostException failed(String why) {
        return failure(plugin, why);
    }

    static HostException failure(ExecPlugin plugin, String why) {
        // the hint is for people, and comes from a file that perhaps was downloaded
        String hint = plugin.installHint()
                .replaceAll("\\e\\[[0-9;]*[A-Za-z]", "")
                .replaceAll("[\\p{Cntrl}&&[^\\n\\t]]", "")
                .strip();
        return new HostException(
                "no credentials from the plugin %s".formatted(plugin.command()),
                why,
                hint.isEmpty() ? "see what it says when it is run by hand, or install it" : hint);
    }
}
