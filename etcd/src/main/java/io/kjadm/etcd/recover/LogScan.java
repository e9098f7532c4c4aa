package io.kjadm.etcd.recover;

import io.kjadm.etcd.check.EntryMarks;
import io.kjadm.etcd.check.WalReader;
import io.kjadm.etcd.check.WalReader.DamagedException;
import io.kjadm.etcd.check.WireMessage;
import io.kjadm.etcd.recover.LogEvidence.Gap;
import io.kjadm.etcd.recover.LogEvidence.Position;

import java.io.IOException;
import java.io.InputStream;

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
    /** Of the entries behind what was applied, those that have content. */
    private final EntryMarks behind = new EntryMarks();

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
    public void entry(WireMessage entry) {
        long index = number(entry, ENTRY_INDEX);
        lastIndex = index;
        lastTerm = number(entry, ENTRY_TERM);
        if (index > applied) {
            boolean content = number(entry, ENTRY_TYPE) == NORMAL
                    && entry.content(ENTRY_DATA)
                            .filter(data -> data.length() > 0)
                            .isPresent();
            behind.put(index, content);
        } else {
            behind.takeBack(index);
        }
    }

    @Override
    public void snapshot(WireMessage snapshot) {
        long index = number(snapshot, SNAPSHOT_INDEX);
        commit = Math.max(commit, index);
        if (index > lastIndex) {
            lastIndex = index;
            lastTerm = number(snapshot, SNAPSHOT_TERM);
        }
    }

    @Override
    public void state(WireMessage state) {
        commit = Math.max(commit, number(state, STATE_COMMIT));
    }

    private static long number(WireMessage message, int field) {
        return message.number(field).orElse(0);
    }

    /** How far it goes. */
    public Position position() {
        return new Position(commit, lastTerm, lastIndex);
    }

    /** What the database has not got of it. */
    public Gap gap() {
        long committed = behind.upTo(commit);
        return new Gap(committed, behind.all() - committed);
    }
}
