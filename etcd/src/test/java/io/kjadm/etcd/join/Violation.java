package io.kjadm.etcd.join;

/** A promise that was broken in a simulation. An error, so that nothing catches it on its way. */
final class Violation extends Error {

    private static final long serialVersionUID = 1L;

    Violation(String message) {
        super(message);
    }
}
