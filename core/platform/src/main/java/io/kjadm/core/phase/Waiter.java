package io.kjadm.core.phase;

import io.kjadm.core.error.ClusterException;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Waits for something to become true, as a port: the system clock, a report of the wait (dry run),
 * or virtual time.
 */
public interface Waiter {

    /**
     * Asks at once and then every interval, until the answer is {@link Attempt.Done}.
     *
     * @return what has come; empty only in a dry run, which reports a wait and goes on
     * @throws ClusterException when the limit passes, with the last answer seen
     */
    <T> Optional<T> until(Await await, Supplier<Attempt<T>> question);

    /** Waits without asking anything, where a fixed time is part of a protocol. */
    void pause(String area, String reason, Duration duration);

    /** The present moment of this waiter's clock. */
    Instant now();

    /**
     * What is awaited.
     *
     * @param area     of the messages
     * @param what     completes "waiting for …"
     * @param limit    the longest wait
     * @param told     the limit as it is told, where the question ends the wait by itself earlier
     *                 unless it sees that things are getting on
     * @param interval between two questions
     * @param next     what the operator can do when it does not come
     */
    record Await(
            String area,
            String what,
            Duration limit,
            Duration told,
            Duration interval,
            String next) {

        /** One whose limit is its only one. */
        public Await(String area, String what, Duration limit, Duration interval, String next) {
            this(area, what, limit, limit, interval, next);
        }

        /** Ends a dry run for which there is nothing to go on with, as it does not wait. */
        public ClusterException neededAnswer() {
            return new ClusterException(
                    "the dry run cannot continue: it would wait now for " + what,
                    "a dry run waits for nothing, and the next step needs the answer",
                    next);
        }
    }

    /** One answer. */
    sealed interface Attempt<T> {
        /** It has come. */
        record Done<T>(T value) implements Attempt<T> {
            public Done {
                Objects.requireNonNull(value);
            }
        }

        /**
         * Not yet.
         *
         * @param answer  what was seen
         * @param atLeast the next question must not come before this time is over
         */
        record NotYet<T>(String answer, Duration atLeast) implements Attempt<T> {}

        /** It has come. */
        static <T> Attempt<T> done(T value) {
            return new Done<>(value);
        }

        /** Not yet. */
        static <T> Attempt<T> notYet(String answer) {
            return new NotYet<>(answer, Duration.ZERO);
        }

        /** Not yet, and not before that time is over. */
        static <T> Attempt<T> notYet(String answer, Duration atLeast) {
            return new NotYet<>(answer, atLeast);
        }
    }
}
