package io.kjadm.etcd;

import java.util.Objects;

/**
 * What stands in the way, as an operator is told of it: carried by every refusal and failure, from
 * the rule that found it to the handler that prints it.
 *
 * @param what what happened or is not done
 * @param why  the reason; empty if {@code what} already says so
 * @param next what the operator can do about it; empty if that is obvious
 */
public record Problem(String what, String why, String next) {

    public Problem {
        Objects.requireNonNull(what, "what");
        Objects.requireNonNull(why, "why");
        Objects.requireNonNull(next, "next");
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
