package io.kjadm.core.error;

import io.kjadm.etcd.Problem;
import io.kjadm.etcd.ProblemReason;

/** The API server or etcd refused, or did not get where it should be in time. */
public final class ClusterException extends KjadmException {

    public ClusterException(Problem problem) {
        this(problem, null);
    }

    public ClusterException(Problem problem, Throwable cause) {
        super(problem, cause);
    }

    public ClusterException(ProblemReason reason, String what, String why, String next) {
        this(reason, what, why, next, null);
    }

    public ClusterException(
            ProblemReason reason, String what, String why, String next, Throwable cause) {
        super(new Problem(reason, what, why, next), cause);
    }

    public ClusterException(String what, String why, String next) {
        this(what, why, next, null);
    }

    public ClusterException(String what, String why, String next, Throwable cause) {
        super(new Problem(what, why, next), cause);
    }
}
