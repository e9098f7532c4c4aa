package io.kjadm.core.error;

/** The machine is not in a state to start from; nothing has been changed. */
public final class PreflightException extends KjadmException {

    public PreflightException(String what, String why, String next) {
        this(what, why, next, null);
    }

    public PreflightException(String what, String why, String next, Throwable cause) {
        super(what, why, next, cause);
    }
}
