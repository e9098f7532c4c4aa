package io.kjadm.core.error;

import io.kjadm.etcd.Problem;

/** The API server or etcd refused, or did not get where it should be in time. */
public final class ClusterException extends KjadmException {

    public ClusterException(Problem problem) {
        super(problem, null);
    }

    public ClusterException(String what, String why, String next) {
        this(what, why, next, null);
    }

    public ClusterException(String what, String why, String next, Throwable cause) {
        super(new Problem(what, why, next), cause);
    }
}
