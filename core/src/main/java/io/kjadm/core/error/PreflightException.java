package io.kjadm.core.error;

import io.kjadm.etcd.Problem;

/** The machine is not in a state to start from; nothing has been changed. */
public final class PreflightException extends KjadmException {

    public PreflightException(String what, String why, String next) {
        this(what, why, next, null);
    }

    public PreflightException(String what, String why, String next, Throwable cause) {
        super(new Problem(what, why, next), cause);
    }
}
