package io.kjadm.core.host;

import java.util.Optional;

/**
 * The services of the machine's init system.
 *
 * <p>A service that cannot be started or stopped never ends a run, as the operator can do it by
 * hand; each change returns the warning to print, or empty when it worked.
 */
public sealed interface Services permits SystemdServices, OpenRcServices, NoServices {

    /** The services of whichever init system has its program in the search path. */
    static Services of(CommandRunner runner) {
        if (runner.isInstalled("systemctl")) {
            return new SystemdServices(runner);
        }
        return runner.isInstalled("rc-service") ? new OpenRcServices(runner) : new NoServices();
    }

    /** Whether there is an init system that can be asked. */
    default boolean available() {
        return true;
    }

    /** Starts a service; the warning if that fails. */
    Optional<String> start(String service);

    /** Stops a service; the warning if that fails. */
    Optional<String> stop(String service);

    /** Stops and starts a service, with its current unit files; the warning if that fails. */
    Optional<String> restart(String service);

    /** Whether the init system knows the service. */
    boolean exists(String service);

    /** Whether the service runs or is being started. */
    boolean isActive(String service);

    /** Whether the service is started at boot. */
    boolean isEnabled(String service);

    /** The command by which the operator enables a service. */
    String enableCommand(String service);
}
