package io.kjadm.core.host;

import java.util.Optional;

/** Services of OpenRC, through {@code rc-service} and {@code rc-update}. */
final class OpenRcServices implements Services {

    private final ServiceCommands commands;

    OpenRcServices(CommandRunner runner) {
        this.commands = new ServiceCommands(runner);
    }

    @Override
    public Optional<String> start(String service) {
        return commands.change("cannot start " + service, "rc-service", service, "start");
    }

    @Override
    public Optional<String> stop(String service) {
        return commands.change("cannot stop " + service, "rc-service", service, "stop");
    }

    @Override
    public Optional<String> restart(String service) {
        return commands.change("cannot restart " + service, "rc-service", service, "restart");
    }

    @Override
    public boolean exists(String service) {
        return commands.ask("rc-service", "--exists", service)
                .filter(CommandRunner.Output::ok)
                .isPresent();
    }

    @Override
    public boolean isActive(String service) {
        return commands.ask("rc-service", service, "status")
                .filter(CommandRunner.Output::ok)
                .isPresent();
    }

    @Override
    public boolean isEnabled(String service) {
        return commands.ask("rc-update", "show", "default")
                .filter(output -> output.stdout()
                        .lines()
                        .anyMatch(line -> line.strip().split("[\\s|]+")[0].equals(service)))
                .isPresent();
    }

    @Override
    public String enableCommand(String service) {
        return "rc-update add %s default".formatted(service);
    }
}
