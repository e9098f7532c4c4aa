package io.kjadm.core.machine;

import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Services;
import io.kjadm.core.phase.Waiter;

/**
 * The machine that a run changes, or seems to change in a dry run.
 *
 * @param files    real, or an overlay
 * @param runner   of programs
 * @param runtimes container runtimes
 * @param health   health endpoints of what runs here
 * @param waiter   the clock
 * @param observer waits for what can only be read; real in a dry run too, which goes on with the
 *         answer
 */
public record Machine(
        HostFiles files,
        CommandRunner runner,
        RuntimeConnector runtimes,
        HealthProbe health,
        Waiter waiter,
        Waiter observer) {

    /** The services of its init system. */
    public Services services() {
        return Services.of(runner);
    }
}
