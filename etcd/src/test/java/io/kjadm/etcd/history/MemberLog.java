package io.kjadm.etcd.history;

import io.kjadm.etcd.check.WalReader;
import io.kjadm.etcd.check.WalReader.DamagedException;
import io.kjadm.etcd.check.WireMessage;
import io.kjadm.etcd.history.Request.Condition;
import io.kjadm.etcd.history.Request.Condition.Target;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The write-ahead log of a member that does not run: its entries, and how far it knew them to be
 * committed. Field numbers are those of etcd's {@code raft_internal.proto} and {@code rpc.proto}.
 */
final class MemberLog implements WalReader.Visitor {

    private static final int ENTRY_TYPE = 1;
    private static final int ENTRY_TERM = 2;
    private static final int ENTRY_INDEX = 3;
    private static final int ENTRY_DATA = 4;
    private static final int CONFIGURATION_CHANGE = 1;
    private static final int CHANGE_KIND = 2;
    private static final int STATE_COMMIT = 3;
    private static final int SNAPSHOT_INDEX = 1;
    private static final int REQUEST_PUT = 4;
    private static final int REQUEST_DELETE = 5;
    private static final int REQUEST_TRANSACTION = 6;
    private static final int REQUEST_LEASE_REVOKE = 9;
    private static final int REQUEST_ALARM = 10;
    private static final int ALARM_ACTION = 1;
    private static final int ALARM_MEMBER = 2;
    private static final int ALARM_TYPE = 3;
    private static final int RAISE = 1;
    private static final int DISARM = 2;
    private static final int NO_SPACE = 1;
    private static final int REQUEST_HEADER = 100;
    private static final int KEY = 1;
    private static final int VALUE = 2;
    private static final int RANGE_END = 2;
    private static final int TRANSACTION_COMPARE = 1;
    private static final int TRANSACTION_SUCCESS = 2;
    private static final int COMPARE_TARGET = 2;
    private static final int COMPARE_VERSION = 4;
    private static final int COMPARE_MOD_REVISION = 6;
    private static final int TARGET_MOD_REVISION = 2;
    private static final int OPERATION_PUT = 2;
    private static final int MOST_TEXT = 4096;

    private final NavigableMap<Long, LogEntry> entries = new TreeMap<>();
    private long commit;

    /**
     * An entry of raft's log.
     *
     * @param request none if it is no write of a history's client
     * @param others  whether another client may have made a revision by it
     * @param change  of the members, if it is one
     * @param alarm   if it raises or disarms one that refuses writes
     */
    record LogEntry(
            long term,
            Optional<Request> request,
            boolean others,
            Optional<MemberChange> change,
            Optional<SpaceAlarm> alarm) {}

    /**
     * An alarm of the kind {@code NOSPACE}.
     *
     * @param member that it is of
     * @param raised whether it is raised, or disarmed
     */
    record SpaceAlarm(long member, boolean raised) {}

    /** In the order of raft's {@code ConfChangeType}. */
    enum MemberChange {
        /** One is added as a voter, or a learner is promoted. */
        VOTER,
        REMOVED,
        /** Its peer URL is another one. */
        UPDATED,
        LEARNER
    }

    private MemberLog() {}

    /** @param dataDir of a member that has ended */
    static MemberLog read(Path dataDir) throws IOException {
        var log = new MemberLog();
        List<Path> files;
        try (Stream<Path> all = Files.list(dataDir.resolve("member").resolve("wal"))) {
            files = all.filter(file -> file.toString().endsWith(".wal"))
                    .sorted()
                    .toList();
        }
        for (Path file : files) {
            try (InputStream content = Files.newInputStream(file)) {
                WalReader.visit(content, log);
            } catch (DamagedException e) {
                if (!file.equals(files.getLast())) {
                    throw new IOException(file + " is damaged: " + e.getMessage(), e);
                }
                // a member that was killed may have torn its last record
            }
        }
        return log;
    }

    /** By their index. */
    NavigableMap<Long, LogEntry> committed() {
        return entries.headMap(commit, true);
    }

    /** What it holds and does not know to be committed. */
    NavigableMap<Long, LogEntry> others() {
        return entries.tailMap(commit, false);
    }

    @Override
    public void entry(WireMessage entry) {
        long index = number(entry, ENTRY_INDEX);
        // a new leader's entry takes the place of that one and of those behind it
        entries.tailMap(index, true).clear();
        Optional<WireMessage> data = entry.content(ENTRY_DATA).filter(WireMessage::isWhole);
        long type = number(entry, ENTRY_TYPE);
        // up to 3.5 members publish themselves by requests of the old store, which have no header
        Optional<WireMessage> message = data.filter(
                request -> type == 0 && request.content(REQUEST_HEADER).isPresent());
        Optional<Request> request = message.flatMap(MemberLog::write)
                .filter(write -> write.key().startsWith(HistoryClients.PREFIX));
        entries.put(
                index,
                new LogEntry(
                        number(entry, ENTRY_TERM),
                        request,
                        request.isEmpty() && message.filter(MemberLog::mayWrite).isPresent(),
                        data.filter(ignored -> type == CONFIGURATION_CHANGE)
                                .map(change ->
                                        MemberChange.values()[(int) number(change, CHANGE_KIND)]),
                        message.flatMap(it -> it.content(REQUEST_ALARM))
                                .flatMap(MemberLog::alarm)));
    }

    @Override
    public void snapshot(WireMessage snapshot) {
        commit = Math.max(commit, number(snapshot, SNAPSHOT_INDEX));
    }

    @Override
    public void state(WireMessage state) {
        commit = Math.max(commit, number(state, STATE_COMMIT));
    }

    private static Optional<SpaceAlarm> alarm(WireMessage alarm) {
        long action = number(alarm, ALARM_ACTION);
        return number(alarm, ALARM_TYPE) == NO_SPACE && (action == RAISE || action == DISARM)
                ? Optional.of(new SpaceAlarm(number(alarm, ALARM_MEMBER), action == RAISE))
                : Optional.empty();
    }

    private static boolean mayWrite(WireMessage message) {
        return IntStream.of(REQUEST_PUT, REQUEST_DELETE, REQUEST_TRANSACTION, REQUEST_LEASE_REVOKE)
                .anyMatch(field -> message.content(field).isPresent());
    }

    private static Optional<Request> write(WireMessage message) {
        return message.content(REQUEST_PUT)
                .<Request>map(put -> new Request.Put(text(put, KEY), text(put, VALUE)))
                .or(() -> message.content(REQUEST_DELETE).map(MemberLog::delete))
                .or(() -> message.content(REQUEST_TRANSACTION).flatMap(MemberLog::transaction));
    }

    private static Request delete(WireMessage delete) {
        String key = text(delete, KEY);
        String end = text(delete, RANGE_END);
        return new Request.Delete(
                key, end.startsWith(key + "\0") ? end.substring(key.length() + 1) : "");
    }

    private static Optional<Request> transaction(WireMessage transaction) {
        Optional<WireMessage> compare = transaction.content(TRANSACTION_COMPARE);
        return transaction
                .content(TRANSACTION_SUCCESS)
                .flatMap(success -> success.content(OPERATION_PUT))
                .map(put -> compare.<Request>map(condition -> new Request.PutIf(
                                text(put, KEY), condition(condition), text(put, VALUE)))
                        .orElseGet(() -> new Request.PutWith(text(put, KEY), text(put, VALUE))));
    }

    private static Condition condition(WireMessage compare) {
        return number(compare, COMPARE_TARGET) == TARGET_MOD_REVISION
                ? new Condition(Target.MOD_REVISION, number(compare, COMPARE_MOD_REVISION))
                : new Condition(Target.VERSION, number(compare, COMPARE_VERSION));
    }

    private static String text(WireMessage message, int field) {
        return message.text(field, MOST_TEXT);
    }

    private static long number(WireMessage message, int field) {
        return message.number(field).orElse(0);
    }
}
