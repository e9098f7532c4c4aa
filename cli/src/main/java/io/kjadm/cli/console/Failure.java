package io.kjadm.cli.console;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.error.PreflightException;
import io.kjadm.core.error.PreflightException.FailedCheck;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.phase.PhaseFailure;
import io.kjadm.etcd.Problem;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Why a run failed, for people and for programs.
 *
 * @param phase  that failed, if it was one
 * @param checks the errors of preflight, if these were it
 */
public record Failure(
        Kind kind, Optional<String> phase, Problem problem, List<FailedCheck> checks) {

    /** What kind of failure it is. */
    public enum Kind {
        /** The command line or a configuration file asks for what cannot be done. */
        USAGE,
        /** Checks found that the machine or the cluster is not ready; nothing was changed. */
        PREFLIGHT,
        /** A file, process, socket or address of this machine refused. */
        HOST,
        /** The API server or etcd refused, or did not get where it should be in time. */
        CLUSTER,
        /** Ctrl-C or SIGTERM. */
        INTERRUPTED,
        /** A defect of this program, or too little memory. */
        INTERNAL;

        /** As programs see it: {@code Usage}. */
        public String text() {
            return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
        }
    }

    public Failure {
        checks = List.copyOf(checks);
    }

    /** What there is to say of an exception or error that ended a run. */
    public static Failure of(Throwable failure) {
        Optional<KjadmException> known = known(failure);
        return new Failure(
                kind(failure, known),
                failure instanceof PhaseFailure phase
                        ? Optional.of(phase.phase())
                        : Optional.empty(),
                known.map(KjadmException::problem).orElseGet(() -> unforeseen(failure)),
                known.filter(PreflightException.class::isInstance)
                        .map(preflight -> ((PreflightException) preflight).checks())
                        .orElse(List.of()));
    }

    private static Kind kind(Throwable failure, Optional<KjadmException> known) {
        if (interrupted(failure)) {
            return Kind.INTERRUPTED;
        }
        return known.map(Failure::kind).orElse(Kind.INTERNAL);
    }

    private static Kind kind(KjadmException known) {
        return switch (known) {
            case UsageException _ -> Kind.USAGE;
            case PreflightException _ -> Kind.PREFLIGHT;
            case HostException _ -> Kind.HOST;
            case ClusterException _ -> Kind.CLUSTER;
        };
    }

    /** Whoever is interrupted sets the flag again, or keeps the cause. */
    private static boolean interrupted(Throwable failure) {
        return Thread.currentThread().isInterrupted()
                || Causes.root(failure) instanceof InterruptedException;
    }

    private static Problem unforeseen(Throwable failure) {
        if (Causes.root(failure) instanceof OutOfMemoryError) {
            return new Problem(
                    "the program needs more memory than it may have: "
                            + "what it read or was to write is too large",
                    "",
                    "if the input is correct, set KJADM_JAVA_OPTS=-Xmx1g and run the"
                            + " command again");
        }
        Throwable cause = failure instanceof PhaseFailure ? failure.getCause() : failure;
        return new Problem("internal error: " + cause, "", "");
    }

    private static Optional<KjadmException> known(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof KjadmException known) {
                return Optional.of(known);
            }
        }
        return Optional.empty();
    }

    /** What happened and why, in one sentence with the phase in front. */
    String sentence() {
        String why = problem.why().isBlank() ? "" : ": " + problem.why();
        return phase.map("error execution phase %s: "::formatted).orElse("") + problem.what() + why;
    }
}
