package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/** Finds the container runtime's socket by knocking at the usual places. */
public final class CriSockets {

    /** The socket when nothing was given and nothing answers. */
    public static final String DEFAULT = "unix:///var/run/containerd/containerd.sock";

    private static final List<String> KNOWN =
            List.of(DEFAULT, "unix:///var/run/crio/crio.sock", "unix:///var/run/cri-dockerd.sock");

    private final Predicate<Path> answers;

    /** Uses a test of whether something accepts connections at a path. */
    public CriSockets(Predicate<Path> answers) {
        this.answers = answers;
    }

    /**
     * The socket that answers, or {@link #DEFAULT} if none does.
     *
     * @throws UsageException if several do
     */
    public String detect() {
        List<String> found =
                KNOWN.stream().filter(url -> answers.test(path(url))).toList();
        if (found.size() > 1) {
            throw new UsageException(
                    "several container runtimes answer",
                    String.join(", ", found),
                    "choose one with nodeRegistration.criSocket "
                            + "(criSocket in ResetConfiguration), or with --cri-socket");
        }
        return found.isEmpty() ? DEFAULT : found.getFirst();
    }

    /** The first socket that answers, containerd's before the others; that one if none does. */
    public String firstAnswering() {
        return KNOWN.stream().filter(url -> answers.test(path(url))).findFirst().orElse(DEFAULT);
    }

    /** The path within {@code unix://path}. */
    public static Path path(String url) {
        return Path.of(url.replaceFirst("^unix:(//)?", ""));
    }
}
