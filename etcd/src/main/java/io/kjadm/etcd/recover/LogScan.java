package io.kjadm.etcd.recover;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;

import io.kjadm.etcd.check.WalReader;
import io.kjadm.etcd.check.WalReader.DamagedException;
import io.kjadm.etcd.recover.LogEvidence.Gap;
import io.kjadm.etcd.recover.LogEvidence.Position;

import java.io.IOException;
import java.io.InputStream;
import java.util.SortedMap;
import java.util.TreeMap;

/** Follows a write-ahead log from file to file, to see how far it goes. */
public final class LogScan implements WalReader.Visitor {

    private static final int ENTRY_TYPE = 1;
    private static final int ENTRY_TERM = 2;
    private static final int ENTRY_INDEX = 3;
    private static final int ENTRY_DATA = 4;
    private static final int STATE_COMMIT = 3;
    private static final int SNAPSHOT_INDEX = 1;
    private static final int SNAPSHOT_TERM = 2;
    /** What an entry is that changes no members ({@code raftpb.EntryNormal}). */
    private static final long NORMAL = 0;

    private final long applied;
    /** Entries behind what was applied, and whether they have content. */
    private final TreeMap<Long, Boolean> behind = new TreeMap<>();

    private long commit;
    private long lastTerm;
    private long lastIndex;

    /** @param applied the entry up to which the database has them */
    public LogScan(long applied) {
        this.applied = applied;
    }

    /**
     * Goes on with the next file.
     *
     * @param newest whether it is the last one, which ends where etcd was writing
     * @throws DamagedException if it is damaged before its end
     * @throws IOException if it cannot be read
     */
    public void file(InputStream file, boolean newest) throws DamagedException, IOException {
        try {
            WalReader.visit(file, this);
        } catch (DamagedException e) {
            if (!newest) {
                throw e;
            }
        }
    }

    @Override
    public void entry(UnknownFieldSet entry) {
        long index = number(entry, ENTRY_INDEX);
        // a new leader's entries take the place of those that were never committed
        behind.tailMap(index).clear();
        lastIndex = index;
        lastTerm = number(entry, ENTRY_TERM);
        if (index > applied) {
            boolean content = number(entry, ENTRY_TYPE) == NORMAL
                    && entry.getField(ENTRY_DATA).getLengthDelimitedList().stream()
                            .anyMatch(data -> !data.equals(ByteString.EMPTY));
            behind.put(index, content);
        }
    }

    @Override
    public void snapshot(UnknownFieldSet snapshot) {
        long index = number(snapshot, SNAPSHOT_INDEX);
        commit = Math.max(commit, index);
        if (index > lastIndex) {
            lastIndex = index;
            lastTerm = number(snapshot, SNAPSHOT_TERM);
        }
    }

    @Override
    public void state(UnknownFieldSet state) {
        commit = Math.max(commit, number(state, STATE_COMMIT));
    }

    private static long number(UnknownFieldSet message, int field) {
        return message.getField(field).getVarintList().stream().findFirst().orElse(0L);
    }

    /** How far it goes. */
    public Position position() {
        return new Position(commit, lastTerm, lastIndex);
    }

    /** What the database has not got of it. */
    public Gap gap() {
        return new Gap(
                contents(behind.headMap(commit, true)), contents(behind.tailMap(commit, false)));
    }

    private static long contents(SortedMap<Long, Boolean> entries) {
        return entries.values().stream().filter(Boolean::booleanValue).count();
    }
}
