package io.kjadm.etcd.history;

import java.util.List;
import java.util.Optional;

/** What a watcher asked and received, in order. */
record WatchLog(List<Record> records) {

    WatchLog {
        records = List.copyOf(records);
    }

    /** One of those. */
    sealed interface Record {

        /** A watch was created for events from a revision on, at any member. */
        record Started(long from) implements Record {}

        /** One response with events. */
        record Received(List<Event> events) implements Record {

            public Received {
                events = List.copyOf(events);
            }
        }

        /** All events up to the revision were sent (etcd's bookmark). */
        record Progress(long revision) implements Record {}
    }

    /**
     * A change of a key.
     *
     * @param value none if it was deleted
     * @param version of the key, 0 if it was deleted
     */
    record Event(String key, Optional<String> value, long version, long revision) {

        @Override
        public String toString() {
            return "%s %s at revision %d"
                    .formatted(key, value.map(text -> "= " + text).orElse("deleted"), revision);
        }
    }

    /** Of all responses. */
    List<Event> events() {
        return records.stream()
                .filter(Record.Received.class::isInstance)
                .map(Record.Received.class::cast)
                .flatMap(received -> received.events().stream())
                .toList();
    }
}
