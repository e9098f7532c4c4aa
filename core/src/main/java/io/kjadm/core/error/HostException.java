package io.kjadm.core.error;

import io.kjadm.etcd.Problem;

/** A file, process, socket or address of this machine refused. */
public final class HostException extends KjadmException {

    public HostException(String what, String why, String next) {
        this(what, why, next, null);
    }

    public HostException(String what, String why, String next, Throwable cause) {
        super(new Problem(what, why, next), cause);
    }
}
