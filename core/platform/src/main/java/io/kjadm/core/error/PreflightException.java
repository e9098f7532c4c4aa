package io.kjadm.core.error;

import io.kjadm.etcd.Problem;

import java.util.List;

/** The machine is not in a state to start from; nothing has been changed. */
public final class PreflightException extends KjadmException {

    private final List<FailedCheck> checks;

    /**
     * One error of a check.
     *
     * @param name    of the check, as {@code --ignore-preflight-errors} takes it
     * @param message what it found
     */
    public record FailedCheck(String name, String message) {}

    /** @param checks the errors that stopped the run, in the order of the checks */
    public PreflightException(String what, String why, String next, List<FailedCheck> checks) {
        super(new Problem(what, why, next), null);
        this.checks = List.copyOf(checks);
    }

    /** The errors that stopped the run. */
    public List<FailedCheck> checks() {
        return checks;
    }
}
