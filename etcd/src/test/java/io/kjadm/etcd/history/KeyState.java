package io.kjadm.etcd.history;

import io.kjadm.etcd.history.Request.Condition;
import io.kjadm.etcd.history.Response.Deleted;
import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;

import java.util.Optional;

/**
 * The model of one key of etcd. A write makes a revision above all before; what is read is at a
 * revision not below. What a write without an answer made is not known: its revision is
 * {@link #UNKNOWN} until somebody reads it.
 *
 * @param found    what the key holds, if it exists
 * @param revision the store has reached at least this one
 */
record KeyState(Optional<Found> found, long revision) {

    static final long UNKNOWN = -1;

    /**
     * The state after an operation.
     *
     * @return none if the operation cannot have that response here, or, without a response, if it
     *     would change nothing
     */
    Optional<KeyState> after(Request request, Optional<Response> response) {
        return response.isPresent() ? answered(request, response.get()) : open(request);
    }

    private Optional<KeyState> answered(Request request, Response response) {
        return switch (response) {
            case Written written -> written(request, written);
            case Deleted deleted ->
                request instanceof Request.Delete ? deleted(deleted) : Optional.empty();
            case Read read -> read(request, read);
        };
    }

    private Optional<KeyState> written(Request request, Written response) {
        if (response.revision() <= revision) {
            return Optional.empty();
        }
        return switch (request) {
            case Request.Put put -> Optional.of(put(put.value(), response.revision()));
            case Request.PutWith put -> Optional.of(put(put.value(), response.revision()));
            case Request.PutIf put ->
                mayHold(put.condition())
                        ? Optional.of(put(put.value(), response.revision()))
                        : Optional.empty();
            case Request.Delete ignored -> Optional.empty();
            case Request.Get ignored -> Optional.empty();
        };
    }

    private Optional<KeyState> deleted(Deleted response) {
        boolean late = response.existed()
                ? response.revision() > revision
                : response.revision() >= revision;
        return late && response.existed() == found.isPresent()
                ? Optional.of(new KeyState(Optional.empty(), response.revision()))
                : Optional.empty();
    }

    private Optional<KeyState> read(Request request, Read response) {
        if (response.revision() < revision || !sees(response.found())) {
            return Optional.empty();
        }
        KeyState next = new KeyState(response.found(), response.revision());
        return switch (request) {
            case Request.Get ignored -> Optional.of(next);
            case Request.PutIf put ->
                next.mayHold(put.condition()) ? Optional.empty() : Optional.of(next);
            case Request.Put ignored -> Optional.empty();
            case Request.PutWith ignored -> Optional.empty();
            case Request.Delete ignored -> Optional.empty();
        };
    }

    private boolean sees(Optional<Found> other) {
        if (found.isEmpty() || other.isEmpty()) {
            return found.isEmpty() && other.isEmpty();
        }
        Found own = found.get();
        Found seen = other.get();
        boolean sameRevision = own.modRevision() == UNKNOWN
                ? seen.modRevision() >= revision
                : seen.modRevision() == own.modRevision();
        return sameRevision && own.value().equals(seen.value()) && own.version() == seen.version();
    }

    private Optional<KeyState> open(Request request) {
        return switch (request) {
            case Request.Put put -> Optional.of(put(put.value(), UNKNOWN));
            case Request.PutWith put -> Optional.of(put(put.value(), UNKNOWN));
            case Request.PutIf put ->
                mayHold(put.condition())
                        ? Optional.of(put(put.value(), UNKNOWN))
                        : Optional.empty();
            case Request.Delete ignored ->
                found.map(there -> new KeyState(Optional.empty(), revision + 1));
            case Request.Get ignored -> Optional.empty();
        };
    }

    private KeyState put(String value, long at) {
        long version = found.map(Found::version).orElse(0L) + 1;
        return new KeyState(
                Optional.of(new Found(value, version, at)), at == UNKNOWN ? revision + 1 : at);
    }

    private boolean mayHold(Condition condition) {
        return switch (condition.target()) {
            case VERSION -> found.map(Found::version).orElse(0L) == condition.number();
            case MOD_REVISION -> {
                long own = found.map(Found::modRevision).orElse(0L);
                yield own == UNKNOWN ? condition.number() >= revision : own == condition.number();
            }
        };
    }

    @Override
    public String toString() {
        return found.map(there -> there.modRevision() == UNKNOWN
                        ? "%s, version %d of a revision from %d on"
                                .formatted(there.value(), there.version(), revision)
                        : there.toString())
                .orElse("no such key");
    }
}
