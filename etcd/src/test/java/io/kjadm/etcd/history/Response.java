package io.kjadm.etcd.history;

import java.util.Optional;

/** What etcd answers to a {@link Request}. */
sealed interface Response {

    /** The revision of the store in the header: of the write, or that at which was read. */
    long revision();

    /** Whether it made a new revision. */
    default boolean changed() {
        return switch (this) {
            case Written ignored -> true;
            case Deleted deleted -> deleted.existed();
            case Read ignored -> false;
        };
    }

    /** To a put, and to a transaction whose condition held. */
    record Written(long revision) implements Response {

        @Override
        public String toString() {
            return "written at revision " + revision;
        }
    }

    /** To a delete. */
    record Deleted(long revision, boolean existed) implements Response {

        @Override
        public String toString() {
            return (existed ? "deleted at revision " : "nothing to delete at revision ") + revision;
        }
    }

    /** To a get, and to a transaction whose condition did not hold. */
    record Read(long revision, Optional<Found> found) implements Response {

        @Override
        public String toString() {
            return "%s, at revision %d"
                    .formatted(found.map(Found::toString).orElse("no such key"), revision);
        }
    }

    /** What a key holds. */
    record Found(String value, long version, long modRevision) {

        @Override
        public String toString() {
            return "%s, version %d of revision %d".formatted(value, version, modRevision);
        }
    }
}
