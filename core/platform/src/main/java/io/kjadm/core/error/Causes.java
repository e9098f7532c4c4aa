package io.kjadm.core.error;

import java.nio.channels.ClosedByInterruptException;

/** What failures that are not ours say; some of the JDK's have no message. */
public final class Causes {

    private Causes() {}

    /** The failure behind all others. */
    public static Throwable root(Throwable failure) {
        Throwable at = failure;
        while (at.getCause() != null) {
            at = at.getCause();
        }
        return at;
    }

    /** Its message, or what kind of failure it is; never null. */
    public static String words(Throwable failure) {
        if (failure instanceof InterruptedException
                || failure instanceof ClosedByInterruptException) {
            return "the program was asked to stop";
        }
        return failure.getMessage() == null
                ? failure.getClass().getSimpleName()
                : failure.getMessage();
    }
}
