package io.kjadm.cli;

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
        Failure told = Failure.of(failure);
        console.err().println(PlainText.of("error: " + told.sentence()));
        String next = told.problem().next();
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
}
