package io.kjadm.core.host;

import java.util.Optional;

/** A machine without an init system that this program knows. */
final class NoServices implements Services {

    private static Optional<String> unable(String verb, String service) {
        return Optional.of("cannot %s %s: no supported init system found; %s it by hand"
                .formatted(verb, service, verb));
    }

    @Override
    public boolean available() {
        return false;
    }

    @Override
    public Optional<String> start(String service) {
        return unable("start", service);
    }

    @Override
    public Optional<String> stop(String service) {
        return unable("stop", service);
    }

    @Override
    public Optional<String> restart(String service) {
        return unable("restart", service);
    }

    @Override
    public boolean exists(String service) {
        return false;
    }

    @Override
    public boolean isActive(String service) {
        return false;
    }

    @Override
    public boolean isEnabled(String service) {
        return false;
    }

    @Override
    public String enableCommand(String service) {
        return "no supported init system to enable %s with".formatted(service);
    }
}
