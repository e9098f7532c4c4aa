package io.kjadm.etcd;

import java.util.Objects;
import java.util.Optional;

/**
 * What stands in the way, as an operator is told of it: carried by every refusal and failure, from
 * the rule that found it to the handler that prints it.
 *
 * @param reason for programs and callers; empty if none of them decides by it
 * @param what   what happened or is not done
 * @param why    the reason; empty if {@code what} already says so
 * @param next   what the operator can do about it; empty if that is obvious
 */
public record Problem(Optional<ProblemReason> reason, String what, String why, String next) {

    public Problem {
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(what, "what");
        Objects.requireNonNull(why, "why");
        Objects.requireNonNull(next, "next");
    }

    public Problem(String what, String why, String next) {
        this(Optional.empty(), what, why, next);
    }

    public Problem(ProblemReason reason, String what, String why, String next) {
        this(Optional.of(reason), what, why, next);
    }

    /** The same problem for this reason. */
    public Problem because(ProblemReason named) {
        return new Problem(named, what, why, next);
    }

    /** The same problem with more to tell about why, and other advice. */
    public Problem with(String moreWhy, String otherNext) {
        return new Problem(reason, what, why + moreWhy, otherNext);
    }

    /** What and why, without advice. */
    public String facts() {
        return why.isBlank() ? what : what.isBlank() ? why : what + ": " + why;
    }

    @Override
    public String toString() {
        return next.isBlank() ? facts() : facts() + "; " + next;
    }
}
