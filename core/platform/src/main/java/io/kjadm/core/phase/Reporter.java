package io.kjadm.core.phase;

import java.util.function.Supplier;

/**
 * Tells the operator what happens. Lines go to standard output as {@code [area] sentence}; warnings
 * and progress of a wait go to standard error. Secrets are passed to {@link #credentials} alone.
 */
public interface Reporter {

    /** One finished or starting step, printed as {@code [area] sentence}. */
    void step(String area, String sentence);

    /** Text for the operator as it is: closing words, printed manifests, results. */
    void print(String text);

    /**
     * Text with a credential that the operator is shown on purpose: a join command, a certificate
     * key. Printed like {@link #print} for people, and nowhere else: logs do not get it.
     */
    default void credentials(String text) {
        print(text);
    }

    /** Something the operator should know although the run goes on. */
    void warn(String sentence);

    /** A line of what preflight found, for standard error, as it is. */
    void finding(String line);

    /**
     * What a check of preflight found.
     *
     * @param error whether it stops the run; otherwise it is a warning
     */
    default void checked(String check, boolean error, String message) {
        finding("\t[%s %s]: %s".formatted(error ? "ERROR" : "WARNING", check, message));
    }

    /** Detail shown from verbosity 1 on. */
    void detail(String sentence);

    /**
     * The state of a wait: on a terminal it overwrites the line of the last call, in a pipe it is
     * printed now and then.
     *
     * @param area     as in {@link #step}
     * @param sentence what is awaited, for how long, the limit, and the last answer
     */
    void waiting(String area, String sentence);

    /** Ends the live line of {@link #waiting}. */
    void waited();

    /**
     * Does some work. Where it goes on without a word, the operator may be shown that it does.
     *
     * @param area as in {@link #step}
     * @param what what is done, in a few words
     */
    default <T> T during(String area, String what, Supplier<T> work) {
        return work.get();
    }
}
