package io.kjadm.core.preflight.machine;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.value.KubernetesVersion;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kubelet program of this machine, asked once: to start it takes a tenth of a second. */
public final class InstalledKubelet {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Pattern ANSWER =
            Pattern.compile("^Kubernetes (v?[0-9]\\S*)\\s*$", Pattern.MULTILINE);

    private final CommandRunner runner;
    private Optional<KubernetesVersion> known = Optional.empty();

    public InstalledKubelet(CommandRunner runner) {
        this.runner = runner;
    }

    /**
     * Its version.
     *
     * @throws HostException if it cannot be run or does not answer with a version
     */
    public KubernetesVersion version() {
        if (known.isEmpty()) {
            known = Optional.of(ask());
        }
        return known.get();
    }

    private KubernetesVersion ask() {
        CommandRunner.Output output = runner.run(List.of("kubelet", "--version"), LIMIT);
        if (!output.ok()) {
            throw unknown("it ended with status %d: %s"
                    .formatted(output.exitStatus(), output.stderr().strip()));
        }
        Matcher answer = ANSWER.matcher(output.stdout());
        Optional<KubernetesVersion> version =
                answer.find() ? KubernetesVersion.parse(answer.group(1)) : Optional.empty();
        return version.orElseThrow(
                () -> unknown("it answered \"%s\"".formatted(output.stdout().strip())));
    }

    private static HostException unknown(String why) {
        return new HostException(
                "the kubelet does not report its version",
                why,
                "run 'kubelet --version' by hand; reinstall the kubelet if it fails");
    }
}
