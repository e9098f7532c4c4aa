package io.kjadm.core.host;

import io.kjadm.core.error.HostException;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The services of the machine's init system: systemd through {@code systemctl}, OpenRC through
 * {@code rc-service} and {@code rc-update}, or none that this program knows.
 *
 * <p>A service that cannot be started or stopped never ends a run, as the operator can do it by
 * hand; each change returns the warning to print, or empty when it worked.
 */
public final class Services {

    private static final Duration CHANGE_LIMIT = Duration.ofMinutes(2);
    private static final Duration ASK_LIMIT = Duration.ofSeconds(20);
    private static final Set<String> RUNNING = Set.of("active", "activating", "reloading");

    private enum InitSystem {
        SYSTEMD,
        OPENRC,
        NONE
    }

    private final CommandRunner runner;
    private final InitSystem system;

    private Services(CommandRunner runner, InitSystem system) {
        this.runner = runner;
        this.system = system;
    }

    /** The services of whichever init system has its program in the search path. */
    public static Services of(CommandRunner runner) {
        if (runner.isInstalled("systemctl")) {
            return new Services(runner, InitSystem.SYSTEMD);
        }
        return new Services(
                runner, runner.isInstalled("rc-service") ? InitSystem.OPENRC : InitSystem.NONE);
    }

    /** Whether there is an init system that can be asked. */
    public boolean available() {
        return system != InitSystem.NONE;
    }

    /** Starts a service; the warning if that fails. */
    public Optional<String> start(String service) {
        return reloaded(service).or(() -> change("start", service));
    }

    /** Has changed unit files read; the warning if that fails. */
    public Optional<String> reload() {
        return system == InitSystem.SYSTEMD
                ? warning("cannot reload the units", "systemctl", "daemon-reload")
                : Optional.empty();
    }

    /** Whether the init system is systemd. */
    public boolean isSystemd() {
        return system == InitSystem.SYSTEMD;
    }

    /**
     * Has a service started, with its current unit files, and does not wait until it is; the
     * warning if that fails.
     */
    public Optional<String> begin(String service) {
        return switch (system) {
            case SYSTEMD ->
                reloaded(service)
                        .or(() -> warning(
                                "cannot start " + service,
                                "systemctl",
                                "start",
                                "--no-block",
                                service));
            case OPENRC, NONE -> start(service);
        };
    }

    /** Has a service started at boot; the warning if that fails. */
    public Optional<String> enable(String service) {
        return switch (system) {
            case SYSTEMD -> reloaded(service).or(() -> change("enable", service));
            case OPENRC ->
                warning("cannot enable " + service, "rc-update", "add", service, "default");
            case NONE -> change("enable", service);
        };
    }

    /** Has a service not started at boot any more; the warning if that fails. */
    public Optional<String> disable(String service) {
        return switch (system) {
            case SYSTEMD, NONE -> change("disable", service);
            case OPENRC ->
                warning("cannot disable " + service, "rc-update", "del", service, "default");
        };
    }

    /** What systemd says of a service, by the names of its properties; empty if it says nothing. */
    public Map<String, String> properties(String service, String... names) {
        if (system != InitSystem.SYSTEMD) {
            return Map.of();
        }
        return answer("systemctl", "show", "--property=" + String.join(",", names), service)
                .filter(CommandRunner.Output::ok)
                .map(output -> output.stdout()
                        .lines()
                        .map(line -> line.split("=", 2))
                        .filter(pair -> pair.length == 2)
                        .collect(Collectors.toMap(
                                pair -> pair[0], pair -> pair[1], (one, other) -> other)))
                .orElse(Map.of());
    }

    /** The last lines of a service's log; none if there is no journal to ask. */
    public List<String> log(String service, int lines) {
        return journal("--unit=" + service, lines);
    }

    /**
     * The last lines that a service has logged since it was last started, by {@code
     * systemd.journal-fields(7)}; those of its log where systemd does not number the starts.
     */
    public List<String> logOfRun(String service, int lines) {
        String run = properties(service, "InvocationID").getOrDefault("InvocationID", "");
        return run.matches("[0-9a-f]{32}")
                ? journal("_SYSTEMD_INVOCATION_ID=" + run, lines)
                : log(service, lines);
    }

    private List<String> journal(String match, int lines) {
        if (system != InitSystem.SYSTEMD) {
            return List.of();
        }
        return answer(
                        "journalctl",
                        match,
                        "--lines=" + lines,
                        "--output=cat",
                        "--no-pager",
                        "--quiet")
                .filter(CommandRunner.Output::ok)
                .map(output -> output.stdout().lines().toList())
                .orElse(List.of());
    }

    /** Stops a service; the warning if that fails. */
    public Optional<String> stop(String service) {
        return change("stop", service);
    }

    /** Stops and starts a service, with its current unit files; the warning if that fails. */
    public Optional<String> restart(String service) {
        return reloaded(service).or(() -> change("restart", service));
    }

    /** A changed drop-in of systemd's counts only after this. */
    private Optional<String> reloaded(String service) {
        return system == InitSystem.SYSTEMD
                ? warning(
                        "cannot reload the units before starting " + service,
                        "systemctl",
                        "daemon-reload")
                : Optional.empty();
    }

    private Optional<String> change(String verb, String service) {
        String failure = "cannot %s %s".formatted(verb, service);
        return switch (system) {
            case SYSTEMD -> warning(failure, "systemctl", verb, service);
            case OPENRC -> warning(failure, "rc-service", service, verb);
            case NONE ->
                Optional.of("%s: no supported init system found; %s it by hand"
                        .formatted(failure, verb));
        };
    }

    /** Whether the init system knows the service. */
    public boolean exists(String service) {
        return switch (system) {
            case SYSTEMD ->
                answer("systemctl", "show", "--property=LoadState", service)
                        .filter(CommandRunner.Output::ok)
                        .filter(output -> !output.stdout().contains("LoadState=not-found"))
                        .isPresent();
            case OPENRC -> succeeds("rc-service", "--exists", service);
            case NONE -> false;
        };
    }

    /** Whether the service runs or is being started. */
    public boolean isActive(String service) {
        return switch (system) {
            case SYSTEMD ->
                answer("systemctl", "is-active", service)
                        .filter(output -> RUNNING.contains(output.stdout().strip()))
                        .isPresent();
            case OPENRC -> succeeds("rc-service", service, "status");
            case NONE -> false;
        };
    }

    /** Whether the service is started at boot. */
    public boolean isEnabled(String service) {
        return switch (system) {
            case SYSTEMD -> succeeds("systemctl", "is-enabled", service);
            case OPENRC ->
                answer("rc-update", "show", "default")
                        .filter(output -> output.stdout()
                                .lines()
                                .anyMatch(
                                        line -> line.strip().split("[\\s|]+")[0].equals(service)))
                        .isPresent();
            case NONE -> false;
        };
    }

    /** The command by which the operator enables a service. */
    public String enableCommand(String service) {
        return switch (system) {
            case SYSTEMD -> "systemctl enable %s.service".formatted(service);
            case OPENRC -> "rc-update add %s default".formatted(service);
            case NONE -> "no supported init system to enable %s with".formatted(service);
        };
    }

    /** Runs a command that changes something; the warning if it fails. */
    private Optional<String> warning(String what, String... command) {
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

    private boolean succeeds(String... question) {
        return answer(question).filter(CommandRunner.Output::ok).isPresent();
    }

    /** The answer to a question; empty if the program cannot even be run. */
    private Optional<CommandRunner.Output> answer(String... question) {
        try {
            return Optional.of(runner.run(List.of(question), ASK_LIMIT));
        } catch (HostException unanswered) {
            return Optional.empty();
        }
    }
}
