package io.kjadm.core.error;

/** The API server or etcd refused, or did not get where it should be in time. */
public final class ClusterException extends KjadmException {

    public ClusterException(String what, String why, String next) {
        this(what, why, next, null);
    }

    public ClusterException(String what, String why, String next, Throwable cause) {
        super(what, why, next, cause);
    }
}
