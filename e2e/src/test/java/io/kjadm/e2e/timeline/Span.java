package io.kjadm.e2e.timeline;

/**
 * Something that took its time, or a moment.
 *
 * @param actor whose lane it is in
 * @param begin seconds since the run began
 * @param end   the same; equal to {@code begin} for a moment
 * @param text  what it was
 */
record Span(String actor, double begin, double end, String text) {

    Span {
        if (end < begin) {
            throw new IllegalArgumentException(
                    "%s: %s ends at %.3f and begins at %.3f".formatted(actor, text, end, begin));
        }
    }

    boolean moment() {
        return end == begin;
    }

    double seconds() {
        return end - begin;
    }
}
