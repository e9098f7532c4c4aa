package io.kjadm.etcd.history;

import io.kjadm.etcd.history.WatchLog.Event;
import io.kjadm.etcd.history.WatchLog.Record;
import io.kjadm.etcd.history.WatchLog.Record.Progress;
import io.kjadm.etcd.history.WatchLog.Record.Received;
import io.kjadm.etcd.history.WatchLog.Record.Started;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What etcd promises of a watch ({@code KV API guarantees}): its events are ordered, unique, atomic,
 * reliable, resumable, and progress notifications are bookmarks.
 */
final class WatchRules {

    /** What is promised. */
    enum Promise {
        /** Events come in the order of their revisions. */
        ORDERED,
        /** No event comes twice. */
        UNIQUE,
        /** All events of a revision come in one response. */
        ATOMIC,
        /** No event between the first and the last is missing, and none is invented. */
        RELIABLE,
        /** A watch from a revision on has no event from before it. */
        RESUMABLE,
        /** After a notification of progress, only events of later revisions come. */
        BOOKMARKABLE
    }

    /** A promise that was not kept. */
    record Broken(Promise promise, String text) {}

    private WatchRules() {}

    /** What the watch shows by itself. */
    static List<Broken> check(WatchLog log) {
        List<Broken> broken = new ArrayList<>();
        Set<List<Object>> seen = new HashSet<>();
        long last = 0;
        long lastOfStream = 0;
        long bookmark = 0;
        long from = 0;
        for (Record record : log.records()) {
            switch (record) {
                case Started started -> {
                    // another member may be behind, so progress is the stream's
                    from = started.from();
                    bookmark = 0;
                    lastOfStream = 0;
                }
                case Progress progress -> {
                    if (progress.revision() < lastOfStream) {
                        broken.add(new Broken(
                                Promise.BOOKMARKABLE,
                                "progress %d after an event of revision %d"
                                        .formatted(progress.revision(), lastOfStream)));
                    }
                    bookmark = Math.max(bookmark, progress.revision());
                }
                case Received received -> {
                    long before = last;
                    for (Event event : received.events()) {
                        if (!seen.add(List.of(event.key(), event.revision()))) {
                            broken.add(new Broken(Promise.UNIQUE, event + " came twice"));
                        }
                        if (event.revision() < last) {
                            broken.add(new Broken(
                                    Promise.ORDERED, event + " came after revision " + last));
                        } else if (event.revision() == before) {
                            broken.add(new Broken(
                                    Promise.ATOMIC,
                                    event + " came apart from others of that revision"));
                        }
                        if (event.revision() <= bookmark) {
                            broken.add(new Broken(
                                    Promise.BOOKMARKABLE,
                                    event + " came after progress " + bookmark));
                        }
                        if (event.revision() < from) {
                            broken.add(new Broken(
                                    Promise.RESUMABLE,
                                    event + " came to a watch from revision " + from));
                        }
                        last = Math.max(last, event.revision());
                        lastOfStream = last;
                    }
                }
            }
        }
        return broken;
    }

    /**
     * What acknowledged and resolved writes show of the watch: each one between its first revision
     * and its last is there, with its value.
     */
    static List<Broken> check(WatchLog log, List<Operation> history) {
        NavigableMap<Place, Event> events = byPlace(log);
        Reach reach = Reach.of(log);
        List<Broken> broken = new ArrayList<>();
        history.stream()
                .filter(Operation::changed)
                .filter(write -> reach.has(write.response().orElseThrow().revision()))
                .forEach(write -> {
                    Place place = new Place(write.response().orElseThrow().revision(), write.key());
                    Event event = events.get(place);
                    if (event == null) {
                        broken.add(new Broken(
                                Promise.RELIABLE,
                                "no event of revision %d: %s"
                                        .formatted(place.revision(), write.request())));
                    } else if (!event.value().equals(value(write.request()))) {
                        broken.add(new Broken(
                                Promise.RELIABLE,
                                "%s, but it was %s".formatted(event, write.request())));
                    }
                });
        return broken;
    }

    /** The same with all that was written: nothing else may come. */
    static List<Broken> check(WatchLog log, Replay replay) {
        List<Broken> broken = new ArrayList<>();
        NavigableMap<Place, Event> events = byPlace(log);
        Reach reach = Reach.of(log);
        replay.changes().stream().filter(change -> reach.has(change.revision())).forEach(change -> {
            Event wanted = new Event(
                    change.key(),
                    change.now().map(Response.Found::value),
                    change.now().map(Response.Found::version).orElse(0L),
                    change.revision());
            Event event = events.remove(new Place(change.revision(), change.key()));
            if (!wanted.equals(event)) {
                broken.add(new Broken(
                        Promise.RELIABLE, "instead of %s came %s".formatted(wanted, event)));
            }
        });
        events.values()
                .forEach(event ->
                        broken.add(new Broken(Promise.RELIABLE, event + " is not in the log")));
        return broken;
    }

    /** Between the end of a stream and the first revision of the next one, which is not in it. */
    private record Gap(long from, long to) {}

    /**
     * The first and the last revision of which the watch should have every event.
     *
     * @param gaps between the end of a stream and the first revision of the next, which etcd had
     *     compacted
     */
    private record Reach(long first, long last, List<Gap> gaps) {

        static Reach of(WatchLog log) {
            long first = log.records().stream()
                    .filter(Started.class::isInstance)
                    .map(Started.class::cast)
                    .mapToLong(Started::from)
                    .findFirst()
                    .orElse(1);
            List<Gap> gaps = new ArrayList<>();
            long next = first;
            for (Record record : log.records()) {
                switch (record) {
                    case Started started -> {
                        if (started.from() > next) {
                            gaps.add(new Gap(next, started.from()));
                            next = started.from();
                        }
                    }
                    case Received received ->
                        next = Math.max(next, received.events().getLast().revision() + 1);
                    case Progress ignored -> {}
                }
            }
            return new Reach(first, next - 1, gaps);
        }

        boolean has(long revision) {
            return first <= revision
                    && revision <= last
                    && gaps.stream()
                            .noneMatch(gap -> gap.from() <= revision && revision < gap.to());
        }
    }

    /** A key in a revision. */
    private record Place(long revision, String key) implements Comparable<Place> {

        @Override
        public int compareTo(Place other) {
            return Comparator.comparingLong(Place::revision)
                    .thenComparing(Place::key)
                    .compare(this, other);
        }
    }

    private static NavigableMap<Place, Event> byPlace(WatchLog log) {
        return log.events().stream()
                .collect(Collectors.toMap(
                        event -> new Place(event.revision(), event.key()),
                        event -> event,
                        (one, other) -> one,
                        TreeMap::new));
    }

    private static Optional<String> value(Request request) {
        return switch (request) {
            case Request.Put put -> Optional.of(put.value());
            case Request.PutWith put -> Optional.of(put.value());
            case Request.PutIf put -> Optional.of(put.value());
            case Request.Delete ignored -> Optional.empty();
            case Request.Get ignored -> Optional.empty();
        };
    }
}
