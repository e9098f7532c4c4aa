package io.kjadm.core.auto;

import io.kjadm.etcd.auto.Step;

/** Runs the commands that the automatic mode decides on, as a port. */
@FunctionalInterface
public interface AutoSteps {

    /**
     * Runs one to its end. It may have been begun before: it resumes then.
     *
     * @throws io.kjadm.core.error.KjadmException if it fails
     */
    void run(Step step);
}
