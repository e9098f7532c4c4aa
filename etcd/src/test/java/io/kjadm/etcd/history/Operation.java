package io.kjadm.etcd.history;

import java.util.Optional;

/**
 * One call of a client and its answer. The write happened, if it did, at one moment between the call
 * and the return. One without an answer is open: it may have happened at any moment after the call,
 * also long after the client gave up, or never. A log that was read afterwards may tell what the
 * answer would have been; such a one has a response and never returned.
 *
 * @param client   a number
 * @param called   nanoseconds of a clock that all clients share
 * @param returned the same, or {@link #NEVER}
 */
record Operation(
        int client, Request request, long called, long returned, Optional<Response> response) {

    static final long NEVER = Long.MAX_VALUE;

    Operation {
        if (called > returned) {
            throw new IllegalArgumentException("returned before it was called: " + request);
        }
        if (returned != NEVER && response.isEmpty()) {
            throw new IllegalArgumentException("returned without a response: " + request);
        }
    }

    /** One that was answered. */
    static Operation answered(
            int client, Request request, long called, long returned, Response response) {
        return new Operation(client, request, called, returned, Optional.of(response));
    }

    /** One that was not. */
    static Operation open(int client, Request request, long called) {
        return new Operation(client, request, called, NEVER, Optional.empty());
    }

    /** The same, with what a log says of it. */
    Operation resolved(Response answer) {
        return new Operation(client, request, called, NEVER, Optional.of(answer));
    }

    String key() {
        return request.key();
    }

    /** Whether its client has an answer. */
    boolean acknowledged() {
        return returned != NEVER;
    }

    /** Whether nothing tells if it happened. */
    boolean open() {
        return response.isEmpty();
    }

    /** Whether a linearizable store has to answer for it. */
    boolean linearizable() {
        return !(request instanceof Request.Get get && get.serializable());
    }

    /** Whether it is known to have made a new revision. */
    boolean changed() {
        return response.filter(Response::changed).isPresent();
    }

    /** In words, with milliseconds since a moment of the clock. */
    String describe(long start) {
        String until = acknowledged() ? millis(returned - start) : "no answer";
        return "%s to %s ms, client %d: %s: %s"
                .formatted(
                        millis(called - start),
                        until,
                        client,
                        request,
                        response.map(Response::toString).orElse("not known"));
    }

    private static String millis(long nanos) {
        return "%.3f".formatted(nanos / 1e6);
    }
}
