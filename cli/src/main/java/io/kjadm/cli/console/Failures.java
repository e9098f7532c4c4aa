package io.kjadm.cli.console;

import io.kjadm.cli.console.EventLog.Level;
import io.kjadm.etcd.Problem;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Prints every failure of the program, in one form. */
public final class Failures {

    private static final int STACK_TRACE_VERBOSITY = 5;

    private final Console console;

    public Failures(Console console) {
        this.console = console;
    }

    /** Prints what happened, why, and what to do next. */
    public void print(Throwable failure, int verbosity) {
        console.live().end();
        Failure told = Failure.of(failure);
        if (console.events().isPresent()) {
            log(
                    console.events().get(),
                    told,
                    verbosity >= STACK_TRACE_VERBOSITY
                            ? Optional.of(stackTrace(failure))
                            : Optional.empty());
            return;
        }
        console.err().println(PlainText.of("error: " + told.sentence()));
        String next = told.problem().next();
        if (!next.isBlank()) {
            console.err().println(PlainText.of("Next: " + next));
        }
        if (verbosity >= STACK_TRACE_VERBOSITY) {
            console.err().print(PlainText.of(stackTrace(failure)));
        } else {
            console.err()
                    .println("To see the stack trace of this error execute with --v=5 or higher");
        }
        console.err().flush();
    }

    /** Prints why a command line is not understood. */
    public void printUsage(String what, String next) {
        if (console.events().isPresent()) {
            log(
                    console.events().get(),
                    new Failure(
                            Failure.Kind.USAGE,
                            Optional.empty(),
                            new Problem(what, "", next),
                            List.of()),
                    Optional.empty());
            return;
        }
        console.err().println("error: " + what);
        console.err().println(next);
    }

    private static void log(EventLog events, Failure told, Optional<String> stackTrace) {
        Map<String, String> more = new LinkedHashMap<>();
        more.put("kind", told.kind().text());
        told.problem().reason().ifPresent(reason -> more.put("reason", reason.text()));
        if (!told.problem().next().isBlank()) {
            more.put("next", told.problem().next());
        }
        stackTrace.ifPresent(trace -> more.put("stackTrace", trace));
        events.log(Level.ERROR, told.phase(), told.problem().facts(), more);
    }

    private static String stackTrace(Throwable failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }
}
