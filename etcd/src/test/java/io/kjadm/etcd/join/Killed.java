package io.kjadm.etcd.join;

/** The end of a program by kill -9. */
final class Killed extends Error {

    private static final long serialVersionUID = 1L;

    /** After how many milliseconds it is run again. */
    final long restart;

    Killed(long restart) {
        super(null, null, false, false);
        this.restart = restart;
    }
}
