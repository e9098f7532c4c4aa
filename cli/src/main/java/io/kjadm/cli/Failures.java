package io.kjadm.cli;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.phase.PhaseFailure;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Prints every failure of the program, in one form. */
final class Failures {

    private static final int STACK_TRACE_VERBOSITY = 5;

    private final Console console;

    Failures(Console console) {
        this.console = console;
    }

    /** Prints what happened, why, and what to do next. */
    void print(Throwable failure, int verbosity) {
        console.live().end();
        console.err().println(PlainText.of("error: " + sentence(failure)));
        String next = next(failure);
        if (!next.isBlank()) {
            console.err().println(PlainText.of("Next: " + next));
        }
        if (verbosity >= STACK_TRACE_VERBOSITY) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            console.err().print(PlainText.of(trace.toString()));
        } else {
            console.err()
                    .println("To see the stack trace of this error execute with --v=5 or higher");
        }
        console.err().flush();
    }

    private static String sentence(Throwable failure) {
        String prefix = failure instanceof PhaseFailure phase
                ? "error execution phase %s: ".formatted(phase.phase())
                : "";
        KjadmException known = known(failure);
        if (known == null && outOfMemory(failure)) {
            return prefix + "the program needs more memory than it may have: "
                    + "what it read or was to write is too large";
        }
        if (known == null) {
            Throwable cause = failure instanceof PhaseFailure ? failure.getCause() : failure;
            return prefix + "internal error: " + cause;
        }
        return prefix + known.what() + (known.why().isBlank() ? "" : ": " + known.why());
    }

    private static String next(Throwable failure) {
        KjadmException known = known(failure);
        if (known != null) {
            return known.next();
        }
        return outOfMemory(failure)
                ? "if the input is correct, set KJADM_JAVA_OPTS=-Xmx1g and run the"
                        + " command again"
                : "";
    }

    private static boolean outOfMemory(Throwable failure) {
        return Causes.root(failure) instanceof OutOfMemoryError;
    }

    private static KjadmException known(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof KjadmException known) {
                return known;
            }
        }
        return null;
    }
}
