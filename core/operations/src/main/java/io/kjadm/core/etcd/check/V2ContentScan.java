package io.kjadm.core.etcd.check;

import io.kjadm.etcd.check.EntryMarks;
import io.kjadm.etcd.check.WalReader;
import io.kjadm.etcd.check.WalReader.DamagedException;
import io.kjadm.etcd.check.WireMessage;
import io.kjadm.etcd.upgrade.V2Content;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Looks for what etcd's API of version 2 has left in a member's data directory, as {@code etcdutl
 * check v2store} of 3.5.32 does, but while etcd runs: in the store that the newest snapshot of raft
 * holds, and in the requests that the log has after it. etcd 3.7 knows no request of that API any
 * more, and ends when it reads one of those that etcd itself wrote up to 3.5 ({@code
 * https://github.com/etcd-io/etcd/pull/21263}); it does not load the store. Give it all files of the log, oldest first,
 * then the snapshots, newest first, until it takes one.
 */
final class V2ContentScan {

    // raftpb.Entry
    private static final int ENTRY_TYPE = 1;
    private static final int ENTRY_INDEX = 3;
    private static final int ENTRY_DATA = 4;
    private static final long NORMAL = 0;
    // walpb.Snapshot
    private static final int RECORDED_INDEX = 1;
    // etcdserverpb.InternalRaftRequest; etcdserverpb.Request
    private static final int REQUEST_V2 = 2;
    private static final int METHOD = 2;
    private static final int PATH = 3;
    /** Every request of version 2 begins with its ID, which every other field would follow. */
    private static final byte ID_TAG = 0x08;

    /** What etcd itself writes by that API, up to 3.5: its members and the cluster's version. */
    private static final Pattern OWN =
            Pattern.compile("/0/version|.*/0/members/[0-9a-fA-F]{1,16}/attributes.*");

    /** Longer than etcd's own ones. */
    private static final int LONGEST_PATH = 512;

    /** etcd takes one in 10,000 entries at most, and removes the log before the last but few. */
    private static final int MOST_RECORDED = 10_000;

    private final boolean anyRequest;
    private final EntryMarks requests = new EntryMarks();
    private final TreeSet<Long> recorded = new TreeSet<>();
    /** Where the last unbroken run of entries begins, and where it ends. */
    private long begin;

    private long end;
    private long snapshotIndex;
    private boolean inStore;

    /** @param anyRequest whether etcd's own requests count, and the store does not */
    V2ContentScan(boolean anyRequest) {
        this.anyRequest = anyRequest;
    }

    /**
     * Reads the next file of the log.
     *
     * @param newest etcd may be writing it: what is torn at its end is no damage
     */
    void log(InputStream file, boolean newest) throws DamagedException, IOException {
        try {
            WalReader.visit(file, new WalReader.Visitor() {
                @Override
                public void entry(WireMessage entry) {
                    take(entry);
                }

                @Override
                public void snapshot(WireMessage snapshot) {
                    note(snapshot.number(RECORDED_INDEX).orElse(0));
                }
            });
        } catch (DamagedException e) {
            if (!newest) {
                throw e;
            }
        }
    }

    private void note(long snapshot) {
        recorded.add(snapshot);
        if (recorded.size() > MOST_RECORDED) {
            recorded.pollFirst();
        }
    }

    /**
     * Reads a snapshot, if it is whole and the log knows of it: etcd starts with the newest such
     * one.
     *
     * @param file a file {@code *.snap}
     * @return whether it was taken, and no older one is to be looked at
     */
    boolean snapshot(RaftSnapshotFile.Source file) {
        try {
            Optional<RaftSnapshotFile> found = RaftSnapshotFile.look(file)
                    .filter(snapshot -> recorded.contains(snapshot.index()));
            if (found.isEmpty()) {
                return false;
            }
            inStore = !anyRequest && found.get().hasKeys(file);
            snapshotIndex = found.get().index();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** What was found; not known if entries are missing between the snapshot and the log. */
    V2Content verdict() {
        if (begin > snapshotIndex + 1) {
            return V2Content.UNKNOWN;
        }
        boolean inLog = requests.last().orElse(Long.MIN_VALUE) > snapshotIndex;
        if (inStore) {
            return inLog ? V2Content.IN_BOTH : V2Content.IN_STORE;
        }
        return inLog ? V2Content.IN_LOG : V2Content.NONE;
    }

    private void take(WireMessage entry) {
        long index = entry.number(ENTRY_INDEX).orElse(0);
        begin = index > end + 1 || begin == 0 ? index : Math.min(begin, index);
        end = index;
        boolean normal = entry.number(ENTRY_TYPE).orElse(NORMAL) == NORMAL;
        boolean foreign = normal
                && entry.content(ENTRY_DATA)
                        .filter(data -> data.length() > 0 && isForeign(data))
                        .isPresent();
        requests.put(index, foreign);
    }

    /**
     * Whether 3.6 would not know what to do with it. A request of version 2 is an entry by itself,
     * or part of one of version 3, in a field whose number is that of the method in the former.
     */
    private boolean isForeign(WireMessage request) {
        if (!request.isWhole()) {
            return true;
        }
        Optional<WireMessage> nested =
                request.content(REQUEST_V2).filter(found -> found.length() > 0);
        if (nested.filter(found -> found.beginsWith(ID_TAG)).isPresent()) {
            return !nested.get().isWhole() || !isOwn(nested.get());
        }
        return nested.isPresent() && !isOwn(request);
    }

    private boolean isOwn(WireMessage request) {
        return !anyRequest
                && request.text(METHOD, LONGEST_PATH).equals("PUT")
                && OWN.matcher(request.text(PATH, LONGEST_PATH)).matches();
    }
}
