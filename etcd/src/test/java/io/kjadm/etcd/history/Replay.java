package io.kjadm.etcd.history;

import io.kjadm.etcd.history.MemberLog.LogEntry;
import io.kjadm.etcd.history.MemberLog.MemberChange;
import io.kjadm.etcd.history.MemberLog.SpaceAlarm;
import io.kjadm.etcd.history.Request.Condition.Target;
import io.kjadm.etcd.history.Response.Deleted;
import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the members' logs together say that was written, in the order of the log: every revision with
 * its key, and the answer to every write. Answers of clients are held against it, and it tells what
 * became of operations without an answer.
 */
final class Replay {

    private long revision;

    private final List<Change> changes = new ArrayList<>();
    private final Map<String, NavigableMap<Long, Optional<Found>>> keys = new HashMap<>();
    private final Map<String, Response> answers = new HashMap<>();
    private final List<Logged> committed = new ArrayList<>();
    /** Members that are out of space by an alarm: whatever puts is refused when it is applied. */
    private final Set<Long> full = new HashSet<>();
    /** Entries of others since a write whose revision is known. */
    private int others;

    private final List<MemberChanged> memberChanges = new ArrayList<>();
    /** Of entries that no member knows to be committed. */
    private final Set<String> undecided = new HashSet<>();

    private final List<String> violations = new ArrayList<>();

    /**
     * A key in a revision of the store.
     *
     * @param now what the key holds since then, if anything
     */
    record Change(long revision, String key, Optional<Found> now) {}

    /**
     * A write in the log.
     *
     * @param before revision of the store before it
     */
    record Logged(long before, Request request) {}

    /**
     * A change of the members.
     *
     * @param revision of the last write before it
     */
    record MemberChanged(long revision, MemberChange change) {}

    private Replay(StoreState begin) {
        revision = begin.revision();
        begin.keys()
                .forEach((key, found) -> keys.put(
                        key, new TreeMap<>(Map.of(found.modRevision(), Optional.of(found)))));
    }

    /**
     * @param begin what the store held before the first entry
     * @param logs of all members that the cluster has ever had
     * @param known revisions of the store before writes, by their marks: what others wrote in
     *     between is not replayed
     * @throws IllegalStateException if they do not go back to the first entry
     */
    static Replay of(StoreState begin, Collection<MemberLog> logs, Map<String, Long> known) {
        var replay = new Replay(begin);
        NavigableMap<Long, LogEntry> merged = new TreeMap<>();
        for (MemberLog log : logs) {
            log.committed().forEach((index, entry) -> {
                LogEntry other = merged.putIfAbsent(index, entry);
                if (other != null && !other.equals(entry)) {
                    replay.violations.add("members differ in committed entry %d: %s and %s"
                            .formatted(index, other, entry));
                }
            });
        }
        if (merged.isEmpty() || merged.lastKey() != merged.size()) {
            throw new IllegalStateException(
                    "the logs do not go back to the first entry: %d entries up to %s"
                            .formatted(
                                    merged.size(), merged.isEmpty() ? "none" : merged.lastKey()));
        }
        merged.values().forEach(entry -> {
            replay.others += entry.others() ? 1 : 0;
            entry.alarm().ifPresent(replay::note);
            entry.request().filter(replay::takes).ifPresent(request -> {
                replay.catchUp(Optional.ofNullable(known.get(request.mark())));
                replay.apply(request);
            });
            entry.change()
                    .map(change -> new MemberChanged(replay.revision, change))
                    .ifPresent(replay.memberChanges::add);
        });
        for (MemberLog log : logs) {
            log.others().forEach((index, entry) -> {
                if (index > merged.lastKey()) {
                    entry.request().map(Request::mark).ifPresent(replay.undecided::add);
                }
            });
        }
        return replay;
    }

    /**
     * Of what another one has read.
     *
     * @param begin what the store held before
     * @param committed writes in the order of the log
     * @param memberChanges between them
     * @param undecided marks of those that no member knows to be committed
     */
    static Replay of(
            StoreState begin,
            List<Logged> committed,
            List<MemberChanged> memberChanges,
            Set<String> undecided) {
        var replay = new Replay(begin);
        committed.forEach(logged -> {
            replay.revision = logged.before();
            replay.apply(logged.request());
        });
        replay.memberChanges.addAll(memberChanges);
        replay.undecided.addAll(undecided);
        return replay;
    }

    private void note(SpaceAlarm alarm) {
        if (alarm.raised()) {
            full.add(alarm.member());
        } else {
            full.remove(alarm.member());
        }
    }

    /** etcd's {@code applierV3Capped}: a transaction that may put is refused whatever it compares. */
    private boolean takes(Request request) {
        return full.isEmpty() || request instanceof Request.Delete;
    }

    /** Each entry of others made one revision, or none. */
    private void catchUp(Optional<Long> known) {
        known.filter(before -> before >= revision && before <= revision + others)
                .ifPresent(before -> {
                    revision = before;
                    others = 0;
                });
    }

    private void apply(Request request) {
        committed.add(new Logged(revision, request));
        Response answer = answer(request);
        Response other = answers.putIfAbsent(request.mark(), answer);
        if (other != null && !request.mark().isEmpty()) {
            violations.add(
                    "the log has one write twice: %s: %s and %s".formatted(request, other, answer));
        }
    }

    private Response answer(Request request) {
        Optional<Found> now = at(request.key(), revision);
        return switch (request) {
            case Request.Put put -> put(put.key(), put.value(), now);
            case Request.PutWith put -> {
                Written written = put(put.key(), put.value(), now);
                change(put.other(), put.value(), at(put.other(), revision));
                yield written;
            }
            case Request.PutIf put -> {
                long number = now.map(found -> put.condition().target() == Target.VERSION
                                ? found.version()
                                : found.modRevision())
                        .orElse(0L);
                yield number == put.condition().number()
                        ? put(put.key(), put.value(), now)
                        : new Read(revision, now);
            }
            case Request.Delete delete -> {
                if (now.isPresent()) {
                    revision++;
                    change(delete.key(), Optional.empty());
                }
                yield new Deleted(revision, now.isPresent());
            }
            case Request.Get ignored -> throw new IllegalArgumentException("a get is not logged");
        };
    }

    private Written put(String key, String value, Optional<Found> before) {
        revision++;
        change(key, value, before);
        return new Written(revision);
    }

    private void change(String key, String value, Optional<Found> before) {
        long version = before.map(Found::version).orElse(0L) + 1;
        change(key, Optional.of(new Found(value, version, revision)));
    }

    private void change(String key, Optional<Found> now) {
        changes.add(new Change(revision, key, now));
        keys.computeIfAbsent(key, ignored -> new TreeMap<>()).put(revision, now);
    }

    /** What a key held at a revision. */
    Optional<Found> at(String key, long revision) {
        return Optional.ofNullable(keys.get(key))
                .map(versions -> versions.floorEntry(revision))
                .flatMap(Map.Entry::getValue);
    }

    /** All keys at a revision. */
    Map<String, Found> state(long atRevision) {
        Map<String, Found> state = new TreeMap<>();
        keys.keySet().forEach(key -> at(key, atRevision).ifPresent(found -> state.put(key, found)));
        return state;
    }

    /** All writes in the order of the log. */
    List<Logged> committed() {
        return committed;
    }

    /** In the order of the log. */
    List<MemberChanged> memberChanges() {
        return memberChanges;
    }

    /** What the log shows of writes that no member knows to be committed. */
    Set<String> undecided() {
        return undecided;
    }

    /** In the order of their revisions. */
    List<Change> changes() {
        return changes;
    }

    /** The last one. */
    long revision() {
        return revision;
    }

    /**
     * The history with what became of its open writes: one in the log has the answer it would have
     * had, one in no member's log never happened and is left out, and one at the end of a log, of
     * which no member knows that it is committed, stays open.
     */
    List<Operation> resolve(List<Operation> history) {
        return history.stream()
                .filter(operation -> !operation.open()
                        || answers.containsKey(operation.request().mark())
                        || undecided.contains(operation.request().mark()))
                .map(operation -> operation.open() && operation.request().writes()
                        ? Optional.ofNullable(answers.get(operation.request().mark()))
                                .map(operation::resolved)
                                .orElse(operation)
                        : operation)
                .toList();
    }

    /** What in the logs, or in the answers to clients, contradicts the logs. */
    List<String> violations(List<Operation> history) {
        List<String> found = new ArrayList<>(violations);
        long start = history.stream().mapToLong(Operation::called).min().orElse(0);
        for (Operation operation : history) {
            if (operation.acknowledged()) {
                contradiction(operation)
                        .ifPresent(text ->
                                found.add("%s%n  %s".formatted(text, operation.describe(start))));
            }
        }
        return found;
    }

    private Optional<String> contradiction(Operation operation) {
        Response response = operation.response().orElseThrow();
        if (operation.request() instanceof Request.Get) {
            Read read = (Read) response;
            if (read.revision() > revision) {
                return Optional.of("a read at a revision that the log has not");
            }
            Optional<Found> logged = at(operation.key(), read.revision());
            return logged.equals(read.found())
                    ? Optional.empty()
                    : Optional.of(
                            "a read of what the log has not: " + new Read(read.revision(), logged));
        }
        Response logged = answers.get(operation.request().mark());
        if (logged == null) {
            return Optional.of("an acknowledged write is in no log");
        }
        return logged.equals(response)
                ? Optional.empty()
                : Optional.of("the answer is not that of the log: " + logged);
    }
}
