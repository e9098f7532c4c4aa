package io.kjadm.core.error;

import io.kjadm.etcd.Problem;
import io.kjadm.etcd.ProblemReason;

import java.util.Optional;

/**
 * A failure the operator is told about. It answers three questions: what happened, why, and what
 * to do next; the last two may be empty where the first says it all. Exactly one handler, at the
 * top of the program, prints it.
 */
public abstract sealed class KjadmException extends RuntimeException
        permits UsageException, PreflightException, HostException, ClusterException {

    private final Problem problem;

    KjadmException(Problem problem, Throwable cause) {
        super(problem.toString(), cause);
        this.problem = problem;
    }

    /** What happened, why, and what to do next. */
    public final Problem problem() {
        return problem;
    }

    /** Why, for programs; empty if none of them decides by it. */
    public final Optional<ProblemReason> reason() {
        return problem.reason();
    }

    /** What happened. */
    public final String what() {
        return problem.what();
    }

    /** Why it happened; empty if {@link #what()} already says so. */
    public final String why() {
        return problem.why();
    }

    /** What the operator can do about it; empty if that is obvious. */
    public final String next() {
        return problem.next();
    }
}
