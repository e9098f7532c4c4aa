package io.kjadm.core.preflight;

import java.util.List;

/**
 * One question to the machine. Asking changes nothing, but for the images that {@code ImagePull}
 * fetches.
 */
public interface Check {

    /**
     * Name by which the operator can make its errors warnings if it is {@link #ignorable},
     * {@code NumCPU} for example.
     */
    String name();

    /**
     * Whether the operator may go on in spite of an error; not where others than this machine would
     * pay for it.
     */
    default boolean ignorable() {
        return true;
    }

    /**
     * Asks. A {@link io.kjadm.core.error.HostException} counts as an error finding.
     *
     * @return what was found wrong; empty if all is well
     */
    List<Finding> run();

    /**
     * Whether it looks for what a run leaves behind; one that goes on with its own work does not
     * ask.
     */
    default boolean isAboutLeftovers() {
        return false;
    }
}
