package io.kjadm.core.simulation;

/** The end of a program by kill -9. */
final class Killed extends Error {

    static final long NEVER = Long.MAX_VALUE;

    private static final long serialVersionUID = 1L;

    /** After how many milliseconds something is run again. */
    final long restart;
    /** Whether that is the reset of the machine. */
    final boolean reset;

    Killed(long restart, boolean reset) {
        super("killed", null, false, false);
        this.restart = restart;
        this.reset = reset;
    }
}
