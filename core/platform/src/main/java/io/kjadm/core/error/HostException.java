package io.kjadm.core.error;

import io.kjadm.etcd.Problem;
import io.kjadm.etcd.ProblemReason;

/** A file, process, socket or address of this machine refused. */
public final class HostException extends KjadmException {

    public HostException(ProblemReason reason, String what, String why, String next) {
        this(reason, what, why, next, null);
    }

    public HostException(
            ProblemReason reason, String what, String why, String next, Throwable cause) {
        super(new Problem(reason, what, why, next), cause);
    }

    public HostException(String what, String why, String next) {
        this(what, why, next, null);
    }

    public HostException(String what, String why, String next, Throwable cause) {
        super(new Problem(what, why, next), cause);
    }
}
