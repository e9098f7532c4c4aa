package io.kjadm.etcd.history;

import io.kjadm.etcd.history.MemberLog.MemberChange;
import io.kjadm.etcd.history.Recording.Mark;
import io.kjadm.etcd.history.Replay.Logged;
import io.kjadm.etcd.history.Replay.MemberChanged;
import io.kjadm.etcd.history.Request.Condition;
import io.kjadm.etcd.history.Response.Deleted;
import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;
import io.kjadm.etcd.history.WatchLog.Event;
import io.kjadm.etcd.history.WatchLog.Record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A recording as a text, one operation, record of the watch, entry of the log or mark a line, its
 * fields separated by tabs. Times are nanoseconds of one clock; no key and no value has a tab.
 */
final class RecordFile {

    private static final String NONE = "-";

    private RecordFile() {}

    static void write(Recording recording, Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(line("clients", recording.seed(), recording.seconds()));
        lines.add(line("revision", recording.begin().revision()));
        recording
                .begin()
                .keys()
                .forEach((key, found) -> lines.add(
                        line("key", key, found.value(), found.version(), found.modRevision())));
        for (Mark mark : recording.marks()) {
            lines.add(line("mark", mark.name(), mark.from(), mark.to()));
        }
        for (Operation each : recording.history()) {
            lines.add(line(
                    "operation",
                    each.client(),
                    text(each.request()),
                    each.called(),
                    each.returned(),
                    each.response().map(RecordFile::text).orElse(NONE)));
        }
        recording.watched().records().forEach(each -> lines.add(text(each)));
        recording
                .replay()
                .committed()
                .forEach(each -> lines.add(line("log", each.before(), text(each.request()))));
        recording
                .replay()
                .memberChanges()
                .forEach(each -> lines.add(line("members", each.revision(), each.change())));
        recording.replay().undecided().forEach(mark -> lines.add(line("undecided", mark)));
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, lines);
    }

    private static String line(Object... fields) {
        return String.join("\t", Arrays.stream(fields).map(Object::toString).toList());
    }

    private static String text(Request request) {
        return switch (request) {
            case Request.Put put -> line("put", put.key(), put.value());
            case Request.PutWith put -> line("put-with", put.key(), put.value());
            case Request.Delete delete -> line("delete", delete.key(), delete.id());
            case Request.Get get -> line("get", get.key(), get.serializable());
            case Request.PutIf put ->
                line(
                        "put-if",
                        put.key(),
                        put.condition().target(),
                        put.condition().number(),
                        put.value());
        };
    }

    private static String text(Response response) {
        return switch (response) {
            case Written written -> line("written", written.revision());
            case Deleted deleted -> line("deleted", deleted.revision(), deleted.existed());
            case Read read ->
                line(
                        "read",
                        read.revision(),
                        read.found()
                                .map(found ->
                                        line(found.value(), found.version(), found.modRevision()))
                                .orElse(NONE));
        };
    }

    private static String text(Record record) {
        return switch (record) {
            case Record.Started started -> line("started", started.from());
            case Record.Progress progress -> line("progress", progress.revision());
            case Record.Received received ->
                line(
                        "received",
                        String.join(
                                "\t",
                                received.events().stream()
                                        .map(event -> line(
                                                event.key(),
                                                event.value().orElse(NONE),
                                                event.version(),
                                                event.revision()))
                                        .toList()));
        };
    }

    static Recording read(Path file) throws IOException {
        var read = new Reading();
        for (String line : Files.readAllLines(file)) {
            read.line(new Fields(Arrays.asList(line.split("\t")).iterator()));
        }
        StoreState begin = new StoreState(read.revision, read.keys);
        return new Recording(
                read.seed,
                begin,
                read.seconds,
                read.history,
                new WatchLog(read.watched),
                Replay.of(begin, read.committed, read.memberChanges, read.undecided),
                read.marks);
    }

    /** What was read so far. */
    private static final class Reading {

        private long seed;
        private double seconds;
        private long revision;
        private final Map<String, Found> keys = new HashMap<>();
        private final List<Mark> marks = new ArrayList<>();
        private final List<Operation> history = new ArrayList<>();
        private final List<Record> watched = new ArrayList<>();
        private final List<Logged> committed = new ArrayList<>();
        private final List<MemberChanged> memberChanges = new ArrayList<>();
        private final Set<String> undecided = new HashSet<>();

        void line(Fields fields) {
            String kind = fields.text();
            switch (kind) {
                case "clients" -> {
                    seed = fields.number();
                    seconds = Double.parseDouble(fields.text());
                }
                case "revision" -> revision = fields.number();
                case "key" -> keys.put(fields.text(), fields.found().orElseThrow());
                case "mark" -> marks.add(new Mark(fields.text(), fields.number(), fields.number()));
                case "operation" ->
                    history.add(new Operation(
                            (int) fields.number(),
                            fields.request(),
                            fields.number(),
                            fields.number(),
                            fields.response()));
                case "started" -> watched.add(new Record.Started(fields.number()));
                case "progress" -> watched.add(new Record.Progress(fields.number()));
                case "received" -> watched.add(new Record.Received(fields.events()));
                case "log" -> committed.add(new Logged(fields.number(), fields.request()));
                case "members" ->
                    memberChanges.add(new MemberChanged(
                            fields.number(), MemberChange.valueOf(fields.text())));
                case "undecided" -> undecided.add(fields.text());
                default -> throw new IllegalArgumentException("not of a recording: " + kind);
            }
        }
    }

    /** Of one line, from left to right. */
    private record Fields(Iterator<String> rest) {

        String text() {
            return rest.next();
        }

        long number() {
            return Long.parseLong(rest.next());
        }

        boolean truth() {
            return Boolean.parseBoolean(rest.next());
        }

        Request request() {
            String kind = text();
            return switch (kind) {
                case "put" -> new Request.Put(text(), text());
                case "put-with" -> new Request.PutWith(text(), text());
                case "delete" -> new Request.Delete(text(), text());
                case "get" -> new Request.Get(text(), truth());
                case "put-if" ->
                    new Request.PutIf(
                            text(),
                            new Condition(Condition.Target.valueOf(text()), number()),
                            text());
                default -> throw new IllegalArgumentException("no request: " + kind);
            };
        }

        Optional<Response> response() {
            String kind = text();
            return switch (kind) {
                case NONE -> Optional.empty();
                case "written" -> Optional.of(new Written(number()));
                case "deleted" -> Optional.of(new Deleted(number(), truth()));
                case "read" -> Optional.of(new Read(number(), found()));
                default -> throw new IllegalArgumentException("no response: " + kind);
            };
        }

        private Optional<Found> found() {
            return value().map(value -> new Found(value, number(), number()));
        }

        private Optional<String> value() {
            return Optional.of(text()).filter(text -> !text.equals(NONE));
        }

        List<Event> events() {
            List<Event> events = new ArrayList<>();
            while (rest.hasNext()) {
                events.add(new Event(text(), value(), number(), number()));
            }
            return events;
        }
    }
}
