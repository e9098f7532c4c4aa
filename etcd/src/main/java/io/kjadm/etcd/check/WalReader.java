package io.kjadm.etcd.check;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Reads one file of etcd's write-ahead log. It is a sequence of records: 8 bytes of length,
 * little-endian, whose top byte says how many zeros follow the record up to the next multiple of 8;
 * then the record, a protobuf message of type, checksum and data. The checksum goes on from record
 * to record and file to file, and each file begins with a record of what it was at the end of the
 * file before; then comes the metadata. After the last record there are zeros, as files are made in
 * full size.
 */
public final class WalReader {

    private static final int METADATA = 1;
    private static final int ENTRY = 2;
    private static final int STATE = 3;
    private static final int CHECKSUM = 4;
    private static final int SNAPSHOT = 5;

    private static final int RECORD_TYPE = 1;
    private static final int RECORD_CHECKSUM = 2;
    private static final int RECORD_DATA = 3;
    private static final int METADATA_MEMBER = 1;
    private static final int METADATA_CLUSTER = 2;
    private static final int ENTRY_DATA = 4;
    private static final int REQUEST_CLUSTER_VERSION = 1300;
    private static final int CLUSTER_VERSION_TEXT = 1;
    /** Up to 3.5 the version is set as a key of the old store. */
    private static final int OLD_REQUEST_PATH = 3;

    private static final int OLD_REQUEST_VALUE = 4;
    private static final String OLD_VERSION_PATH = "/0/version";

    /** etcd's own limit: it takes a longer record for damage. */
    private static final int LONGEST_RECORD = 10 * 1024 * 1024;

    private static final int POLYNOMIAL = 0x82f63b78;
    private static final int[] CHECKSUMS = checksums();

    private final InputStream file;
    private final Visitor visitor;
    private int checksum;
    private Optional<UnknownFieldSet> metadata = Optional.empty();
    private Optional<EtcdVersion> clusterVersion = Optional.empty();

    private WalReader(InputStream file, Visitor visitor) {
        this.file = file;
        this.visitor = visitor;
    }

    /** Whoever wants to see more of a log than whose it is; messages as protobuf has them. */
    public interface Visitor {

        /** An entry of raft's log ({@code raftpb.Entry}). */
        void entry(UnknownFieldSet entry);

        /** That a snapshot was taken ({@code walpb.Snapshot}). */
        void snapshot(UnknownFieldSet snapshot);

        /** How far raft's log is known to be committed ({@code raftpb.HardState}). */
        default void state(UnknownFieldSet state) {}
    }

    private static final Visitor NOBODY = new Visitor() {
        @Override
        public void entry(UnknownFieldSet entry) {}

        @Override
        public void snapshot(UnknownFieldSet snapshot) {}
    };

    /** Something that is not, or no longer, etcd's log. */
    public static final class DamagedException extends Exception {

        private static final long serialVersionUID = 1L;

        DamagedException(String message) {
            super(message);
        }
    }

    /**
     * Reads a file from its first record to its last whole one; a torn record at the end is what a
     * power cut leaves. Files have 64 MiB from the start, so no more than a record is kept in
     * memory.
     *
     * @throws DamagedException if the metadata cannot be read
     * @throws IOException if the file cannot be read
     */
    public static WalIdentity read(InputStream file) throws DamagedException, IOException {
        WalReader reader = new WalReader(file, NOBODY);
        try {
            reader.toTheEnd();
        } catch (DamagedException e) {
            if (reader.metadata.isEmpty()) {
                throw e;
            }
        }
        UnknownFieldSet found = reader.metadata.orElseThrow(
                () -> new DamagedException("it has no metadata record"));
        return new WalIdentity(
                Long.toHexString(number(found, METADATA_CLUSTER)),
                new MemberId(number(found, METADATA_MEMBER)),
                reader.clusterVersion);
    }

    /**
     * Shows a file's entries and snapshots, in the order of the log.
     *
     * @throws DamagedException behind the last whole record, if others were to follow; that is no
     *     damage in the newest file, which etcd may be writing
     * @throws IOException if the file cannot be read
     */
    public static void visit(InputStream file, Visitor visitor)
            throws DamagedException, IOException {
        new WalReader(file, visitor).toTheEnd();
    }

    private void toTheEnd() throws DamagedException, IOException {
        while (next()) {
            // as long as there are records
        }
    }

    private boolean next() throws DamagedException, IOException {
        byte[] head = file.readNBytes(Long.BYTES);
        if (head.length < Long.BYTES) {
            return false;
        }
        long frame = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getLong();
        if (frame == 0) {
            return false;
        }
        long length = frame & 0x00ff_ffff_ffff_ffffL;
        long padding = frame < 0 ? frame >>> 56 & 0x7 : 0;
        if (length > LONGEST_RECORD) {
            throw new DamagedException("a record is longer than etcd makes them");
        }
        byte[] bytes = file.readNBytes((int) length);
        if (bytes.length < length || file.readNBytes((int) padding).length < padding) {
            throw new DamagedException("a record is longer than the file");
        }
        take(message(bytes));
        return true;
    }

    private void take(UnknownFieldSet record) throws DamagedException {
        int type = (int) number(record, RECORD_TYPE);
        int recorded = record.getField(RECORD_CHECKSUM).getVarintList().stream()
                .mapToInt(Long::intValue)
                .findFirst()
                .orElse(0);
        if (type == CHECKSUM) {
            if (checksum != 0 && recorded != checksum) {
                throw new DamagedException("a checksum is wrong");
            }
            checksum = recorded;
            return;
        }
        byte[] data = record.getField(RECORD_DATA).getLengthDelimitedList().stream()
                .findFirst()
                .map(bytes -> bytes.toByteArray())
                .orElseGet(() -> new byte[0]);
        checksum = crc32c(checksum, data);
        if (checksum != recorded) {
            throw new DamagedException("a checksum is wrong");
        }
        if (type == METADATA && metadata.isEmpty()) {
            metadata = Optional.of(message(data));
        } else if (type == ENTRY) {
            UnknownFieldSet entry = message(data);
            noticeVersion(entry);
            visitor.entry(entry);
        } else if (type == STATE) {
            visitor.state(message(data));
        } else if (type == SNAPSHOT) {
            visitor.snapshot(message(data));
        }
    }

    /**
     * What an entry says depends on its kind; only the one that sets the cluster's version is of
     * interest.
     */
    private void noticeVersion(UnknownFieldSet entry) {
        try {
            for (ByteString content : entry.getField(ENTRY_DATA).getLengthDelimitedList()) {
                UnknownFieldSet request = UnknownFieldSet.parseFrom(content);
                for (ByteString set :
                        request.getField(REQUEST_CLUSTER_VERSION).getLengthDelimitedList()) {
                    noticeVersion(text(UnknownFieldSet.parseFrom(set), CLUSTER_VERSION_TEXT));
                }
                if (text(request, OLD_REQUEST_PATH).equals(OLD_VERSION_PATH)) {
                    noticeVersion(text(request, OLD_REQUEST_VALUE));
                }
            }
        } catch (InvalidProtocolBufferException | IllegalArgumentException otherKind) {
            // a configuration change, say
        }
    }

    private void noticeVersion(String text) {
        EtcdVersion version = EtcdVersion.parse(text);
        clusterVersion = clusterVersion
                .filter(known -> known.compareTo(version) >= 0)
                .or(() -> Optional.of(version));
    }

    private static String text(UnknownFieldSet message, int field) {
        return message.getField(field).getLengthDelimitedList().stream()
                .findFirst()
                .map(ByteString::toStringUtf8)
                .orElse("");
    }

    private static UnknownFieldSet message(byte[] bytes) throws DamagedException {
        try {
            return UnknownFieldSet.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new DamagedException("a record is not a protobuf message: " + e.getMessage());
        }
    }

    private static long number(UnknownFieldSet message, int field) {
        return message.getField(field).getVarintList().stream().findFirst().orElse(0L);
    }

    private static int[] checksums() {
        int[] table = new int[256];
        for (int i = 0; i < table.length; i++) {
            int sum = i;
            for (int bit = 0; bit < 8; bit++) {
                sum = (sum & 1) == 0 ? sum >>> 1 : sum >>> 1 ^ POLYNOMIAL;
            }
            table[i] = sum;
        }
        return table;
    }

    /** CRC-32C that goes on from an earlier sum, which the JDK's cannot. */
    static int crc32c(int sum, byte[] data) {
        int state = ~sum;
        for (byte next : data) {
            state = CHECKSUMS[(state ^ next) & 0xff] ^ state >>> 8;
        }
        return ~state;
    }
}
