package io.kjadm.core.etcd.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;

import io.kjadm.etcd.check.WalReader;
import io.kjadm.etcd.check.WalReader.DamagedException;
import io.kjadm.etcd.upgrade.V2Content;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * Looks for what etcd's API of version 2 has left in a member's data directory, as {@code etcdutl
 * check v2store} of 3.5.32 does, but while etcd runs: in the store that the newest snapshot of raft
 * holds, and in the requests that the log has after it. Give it all files of the log, oldest first,
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
    // snappb.Snapshot; raftpb.Snapshot; raftpb.SnapshotMetadata
    private static final int FILE_CHECKSUM = 1;
    private static final int FILE_DATA = 2;
    private static final int SNAPSHOT_DATA = 1;
    private static final int SNAPSHOT_METADATA = 2;
    private static final int SNAPSHOT_INDEX = 2;
    // etcdserverpb.InternalRaftRequest; etcdserverpb.Request
    private static final int REQUEST_V2 = 2;
    private static final int METHOD = 2;
    private static final int PATH = 3;
    /** Every request of version 2 begins with its ID, which every other field would follow. */
    private static final byte ID_TAG = 0x08;

    /** What etcd itself writes by that API, up to 3.5: its members and the cluster's version. */
    private static final Pattern OWN =
            Pattern.compile("/0/version|.*/0/members/[0-9a-fA-F]{1,16}/attributes.*");

    private static final String MEMBERS = "0";
    private static final String PERMISSIONS = "2";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final NavigableSet<Long> requests = new TreeSet<>();
    private final Set<Long> recorded = new HashSet<>();
    /** Where the last unbroken run of entries begins, and where it ends. */
    private long begin;

    private long end;
    private long snapshotIndex;
    private boolean inStore;

    /**
     * Reads the next file of the log.
     *
     * @param newest etcd may be writing it: what is torn at its end is no damage
     */
    void log(InputStream file, boolean newest) throws DamagedException, IOException {
        try {
            WalReader.visit(file, new WalReader.Visitor() {
                @Override
                public void entry(UnknownFieldSet entry) {
                    take(entry);
                }

                @Override
                public void snapshot(UnknownFieldSet snapshot) {
                    recorded.add(number(snapshot, RECORDED_INDEX).orElse(0));
                }
            });
        } catch (DamagedException e) {
            if (!newest) {
                throw e;
            }
        }
    }

    /**
     * Reads a snapshot, if it is whole and the log knows of it: etcd starts with the newest such
     * one.
     *
     * @param file a file {@code *.snap}
     * @return whether it was taken, and no older one is to be looked at
     */
    boolean snapshot(byte[] file) {
        try {
            UnknownFieldSet outer = UnknownFieldSet.parseFrom(file);
            byte[] content = bytes(outer, FILE_DATA).toByteArray();
            UnknownFieldSet snapshot = UnknownFieldSet.parseFrom(content);
            long index = number(
                            UnknownFieldSet.parseFrom(bytes(snapshot, SNAPSHOT_METADATA)),
                            SNAPSHOT_INDEX)
                    .orElse(0);
            if (number(outer, FILE_CHECKSUM).orElse(0) != checksum(content)
                    || !recorded.contains(index)) {
                return false;
            }
            inStore = hasKeys(JSON.readTree(bytes(snapshot, SNAPSHOT_DATA).toByteArray()));
            snapshotIndex = index;
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
        boolean inLog = !requests.tailSet(snapshotIndex, false).isEmpty();
        if (inStore) {
            return inLog ? V2Content.IN_BOTH : V2Content.IN_STORE;
        }
        return inLog ? V2Content.IN_LOG : V2Content.NONE;
    }

    private void take(UnknownFieldSet entry) {
        long index = number(entry, ENTRY_INDEX).orElse(0);
        // a new leader has its own idea of what comes from here on
        requests.tailSet(index, true).clear();
        begin = index > end + 1 || begin == 0 ? index : Math.min(begin, index);
        end = index;
        ByteString data = bytes(entry, ENTRY_DATA);
        if (number(entry, ENTRY_TYPE).orElse(NORMAL) == NORMAL
                && !data.isEmpty()
                && isForeign(data)) {
            requests.add(index);
        }
    }

    /**
     * Whether 3.6 would not know what to do with it. A request of version 2 is an entry by itself,
     * or part of one of version 3, in a field whose number is that of the method in the former.
     */
    private static boolean isForeign(ByteString data) {
        try {
            UnknownFieldSet request = UnknownFieldSet.parseFrom(data);
            ByteString nested = bytes(request, REQUEST_V2);
            if (!nested.isEmpty() && nested.byteAt(0) == ID_TAG) {
                return !isOwn(UnknownFieldSet.parseFrom(nested));
            }
            return !nested.isEmpty() && !isOwn(request);
        } catch (InvalidProtocolBufferException e) {
            return true;
        }
    }

    private static boolean isOwn(UnknownFieldSet request) {
        return bytes(request, METHOD).toStringUtf8().equals("PUT")
                && OWN.matcher(bytes(request, PATH).toStringUtf8()).matches();
    }

    /** Below what is etcd's own; of its users and roles the empty directories stay for ever. */
    private static boolean hasKeys(JsonNode store) {
        return store.path("Root").path("Children").properties().stream()
                .filter(top -> !top.getKey().equals(MEMBERS))
                .anyMatch(top -> top.getKey().equals(PERMISSIONS)
                        ? top.getValue().path("Children").properties().stream()
                                .anyMatch(child -> hasChildren(child.getValue()))
                        : hasChildren(top.getValue()));
    }

    /** Names that begin with a line are not listed, and do not count. */
    private static boolean hasChildren(JsonNode node) {
        return node.path("Children").properties().stream()
                .anyMatch(child -> !child.getKey().startsWith("_"));
    }

    private static long checksum(byte[] content) {
        CRC32C sum = new CRC32C();
        sum.update(content);
        return sum.getValue();
    }

    private static ByteString bytes(UnknownFieldSet message, int field) {
        return message.getField(field).getLengthDelimitedList().stream()
                .findFirst()
                .orElse(ByteString.EMPTY);
    }

    private static OptionalLong number(UnknownFieldSet message, int field) {
        return message.getField(field).getVarintList().stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }
}
