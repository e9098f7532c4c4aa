package io.kjadm.etcd.model;

/** A promise that was broken in a simulation. An error, so that nothing catches it on its way. */
public final class Violation extends Error {

    private static final long serialVersionUID = 1L;

    public Violation(String message) {
        super(message);
    }
}
