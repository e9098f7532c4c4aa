package io.kjadm.core.error;

import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A failure the operator is told about. It answers three questions: what happened, why, and what
 * to do next; the last two may be empty where the first says it all. Exactly one handler, at the
 * top of the program, prints it.
 */
public abstract sealed class KjadmException extends RuntimeException
        permits UsageException, PreflightException, HostException, ClusterException {

    private final String what;
    private final String why;
    private final String next;

    KjadmException(String what, String why, String next, Throwable cause) {
        super(sentence(what, why, next), cause);
        this.what = Objects.requireNonNull(what, "what");
        this.why = Objects.requireNonNull(why, "why");
        this.next = Objects.requireNonNull(next, "next");
    }

    /** What happened. */
    public final String what() {
        return what;
    }

    /** Why it happened; empty if {@link #what()} already says so. */
    public final String why() {
        return why;
    }

    /** What the operator can do about it; empty if that is obvious. */
    public final String next() {
        return next;
    }

    private static String sentence(String what, String why, String next) {
        String facts =
                Stream.of(what, why).filter(s -> !s.isBlank()).collect(Collectors.joining(": "));
        return next.isBlank() ? facts : facts + "; " + next;
    }
}
