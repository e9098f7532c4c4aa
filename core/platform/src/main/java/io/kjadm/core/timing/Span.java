package io.kjadm.core.timing;

import java.time.Duration;

/**
 * Something that took time. Times are counted from the start of the process.
 *
 * @param name   the full name of a phase, what was awaited, the server and the
 *               call, or a program with its arguments
 * @param thread that did it; spans of one thread lie within each other or apart
 * @param answer the last one before a wait was over, or how it failed; may be empty
 */
public record Span(
        Kind kind, String name, String thread, Duration begin, Duration end, String answer) {

    /** What kind of thing it was. */
    public enum Kind {
        /** The start of the program, before the run began. */
        START,
        /** A phase of the workflow, without those below it. */
        PHASE,
        /** A wait for something to become true, with all it asked. */
        WAIT,
        /** One call of a server (container runtime, API server, etcd), or one run of a program. */
        CALL;

        /** As it is written into the file. */
        public String text() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }
}
