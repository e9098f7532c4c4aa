package io.kjadm.core.host;

import java.util.Optional;
import java.util.Set;

/** Services of systemd, through {@code systemctl}. */
final class SystemdServices implements Services {

    private static final Set<String> RUNNING = Set.of("active", "activating", "reloading");

    private final ServiceCommands commands;

    SystemdServices(CommandRunner runner) {
        this.commands = new ServiceCommands(runner);
    }

    @Override
    public Optional<String> start(String service) {
        return reloaded(service)
                .or(() ->
                        commands.change("cannot start " + service, "systemctl", "start", service));
    }

    @Override
    public Optional<String> stop(String service) {
        return commands.change("cannot stop " + service, "systemctl", "stop", service);
    }

    @Override
    public Optional<String> restart(String service) {
        return reloaded(service)
                .or(() -> commands.change(
                        "cannot restart " + service, "systemctl", "restart", service));
    }

    /** A changed drop-in counts only after this. */
    private Optional<String> reloaded(String service) {
        return commands.change(
                "cannot reload the units before starting " + service, "systemctl", "daemon-reload");
    }

    @Override
    public boolean exists(String service) {
        return commands.ask("systemctl", "show", "--property=LoadState", service)
                .filter(CommandRunner.Output::ok)
                .filter(output -> !output.stdout().contains("LoadState=not-found"))
                .isPresent();
    }

    @Override
    public boolean isActive(String service) {
        return commands.ask("systemctl", "is-active", service)
                .filter(output -> RUNNING.contains(output.stdout().strip()))
                .isPresent();
    }

    @Override
    public boolean isEnabled(String service) {
        return commands.ask("systemctl", "is-enabled", service)
                .filter(CommandRunner.Output::ok)
                .isPresent();
    }

    @Override
    public String enableCommand(String service) {
        return "systemctl enable %s.service".formatted(service);
    }
}
