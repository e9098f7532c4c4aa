package io.kjadm.core.error;

import io.kjadm.etcd.Problem;
import io.kjadm.etcd.ProblemReason;

/** The command line or a configuration file asks for something that cannot be done. */
public final class UsageException extends KjadmException {

    public UsageException(ProblemReason reason, String what, String why, String next) {
        this(reason, what, why, next, null);
    }

    public UsageException(
            ProblemReason reason, String what, String why, String next, Throwable cause) {
        super(new Problem(reason, what, why, next), cause);
    }

    public UsageException(String what, String why, String next) {
        this(what, why, next, null);
    }

    public UsageException(String what, String why, String next, Throwable cause) {
        super(new Problem(what, why, next), cause);
    }
}
