package io.kjadm.etcd.check;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;

import java.io.BufferedInputStream;
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

    /** Of the texts that are of interest. */
    private static final int MOST_TEXT = 64;

    /** etcd's own limit: it takes a longer record for damage. */
    private static final int LONGEST_RECORD = 10 * 1024 * 1024;

    private static final int POLYNOMIAL = 0x82f63b78;
    private static final int[] CHECKSUMS = checksums();

    private static final int BUFFER = 64 * 1024;
    private static final byte[] NONE = {};
    private static final WireMessage NO_DATA = WireMessage.of(new byte[0]);

    private final InputStream file;
    private final Visitor visitor;
    /** Has the record, of which the next one takes the place, or how a long one begins. */
    private final byte[] start = new byte[BUFFER];

    private byte[] record = NONE;

    private int checksum;
    private Optional<Owner> owner = Optional.empty();
    private Optional<EtcdVersion> clusterVersion = Optional.empty();

    private WalReader(InputStream file, Visitor visitor) {
        this.file = new BufferedInputStream(file, BUFFER);
        this.visitor = visitor;
    }

    /** Whose a log is, as its metadata has it. */
    private record Owner(long cluster, long member) {}

    /** Shows more of a log than whose it is. No message may be kept: the next takes its place. */
    public interface Visitor {

        /** An entry of raft's log ({@code raftpb.Entry}). */
        void entry(WireMessage entry);

        /** That a snapshot was taken ({@code walpb.Snapshot}). */
        void snapshot(WireMessage snapshot);

        /** How far raft's log is known to be committed ({@code raftpb.HardState}). */
        default void state(WireMessage state) {}
    }

    private static final Visitor NO_VISITOR = new Visitor() {
        @Override
        public void entry(WireMessage entry) {}

        @Override
        public void snapshot(WireMessage snapshot) {}
    };

    /** What is not as etcd writes it. */
    enum Damage {
        NO_METADATA("it has no metadata record"),
        TOO_LONG("a record is longer than etcd makes them"),
        CUT_OFF("a record is longer than the file"),
        CHECKSUM("a checksum is wrong"),
        NO_MESSAGE("a record is not a protobuf message");

        private final String text;

        Damage(String text) {
            this.text = text;
        }
    }

    /** Something that is not, or no longer, etcd's log. */
    public static final class DamagedException extends Exception {

        private static final long serialVersionUID = 1L;

        private final Damage damage;

        DamagedException(Damage damage) {
            super(damage.text);
            this.damage = damage;
        }

        Damage damage() {
            return damage;
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
        WalReader reader = new WalReader(file, NO_VISITOR);
        try {
            reader.toTheEnd();
        } catch (DamagedException e) {
            if (reader.owner.isEmpty()) {
                throw e;
            }
        }
        Owner found = reader.owner.orElseThrow(() -> new DamagedException(Damage.NO_METADATA));
        return new WalIdentity(
                Long.toHexString(found.cluster), new MemberId(found.member), reader.clusterVersion);
    }

    /**
     * Whose a file is, as its first records say; the rest is not read.
     *
     * @throws DamagedException if that cannot be read
     * @throws IOException if the file cannot be read
     */
    public static MemberIds ids(InputStream file) throws DamagedException, IOException {
        WalReader reader = new WalReader(file, NO_VISITOR);
        while (reader.owner.isEmpty() && reader.next()) {
            // until it is told
        }
        Owner found = reader.owner.orElseThrow(() -> new DamagedException(Damage.NO_METADATA));
        return new MemberIds(Long.toHexString(found.cluster), new MemberId(found.member));
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
            throw new DamagedException(Damage.TOO_LONG);
        }
        WireMessage message = record((int) length);
        if (file.readNBytes((int) padding).length < padding) {
            throw new DamagedException(Damage.CUT_OFF);
        }
        take(whole(message));
        return true;
    }

    /** Takes memory for a long record only if more of it comes than what a short file has. */
    private WireMessage record(int length) throws DamagedException, IOException {
        int first = Math.min(length, start.length);
        int read = file.readNBytes(start, 0, first);
        if (read == length) {
            return WireMessage.of(start, length);
        }
        if (read == first) {
            if (record.length < length) {
                // two of them may be more than the memory that is there
                record = NONE;
                record = new byte[length];
            }
            System.arraycopy(start, 0, record, 0, first);
            read += file.readNBytes(record, first, length - first);
        }
        if (read < length) {
            throw new DamagedException(Damage.CUT_OFF);
        }
        return WireMessage.of(record, length);
    }

    private void take(WireMessage message) throws DamagedException {
        int type = (int) number(message, RECORD_TYPE);
        int recorded = (int) number(message, RECORD_CHECKSUM);
        if (type == CHECKSUM) {
            if (checksum != 0 && recorded != checksum) {
                throw new DamagedException(Damage.CHECKSUM);
            }
            checksum = recorded;
            return;
        }
        WireMessage data = message.content(RECORD_DATA).orElse(NO_DATA);
        checksum = data.crc32c(checksum);
        if (checksum != recorded) {
            throw new DamagedException(Damage.CHECKSUM);
        }
        switch (type) {
            case METADATA -> takeOwner(whole(data));
            case ENTRY -> {
                noticeVersion(whole(data));
                visitor.entry(data);
            }
            case STATE -> visitor.state(whole(data));
            case SNAPSHOT -> visitor.snapshot(whole(data));
            default -> {
                // of a kind that is not known here
            }
        }
    }

    private void takeOwner(WireMessage metadata) {
        if (owner.isEmpty()) {
            owner = Optional.of(new Owner(
                    number(metadata, METADATA_CLUSTER), number(metadata, METADATA_MEMBER)));
        }
    }

    /**
     * What an entry says depends on its kind, which may be a configuration change; only the one that
     * sets the cluster's version is of interest.
     */
    private void noticeVersion(WireMessage entry) {
        entry.content(ENTRY_DATA).filter(WireMessage::isWhole).ifPresent(request -> {
            request.content(REQUEST_CLUSTER_VERSION)
                    .ifPresent(set -> noticeVersion(set.text(CLUSTER_VERSION_TEXT, MOST_TEXT)));
            if (request.text(OLD_REQUEST_PATH, MOST_TEXT).equals(OLD_VERSION_PATH)) {
                noticeVersion(request.text(OLD_REQUEST_VALUE, MOST_TEXT));
            }
        });
    }

    private void noticeVersion(String text) {
        try {
            EtcdVersion version = EtcdVersion.parse(text);
            clusterVersion = clusterVersion
                    .filter(known -> known.compareTo(version) >= 0)
                    .or(() -> Optional.of(version));
        } catch (IllegalArgumentException otherKind) {
            // a request of another kind has something else in that field
        }
    }

    private static WireMessage whole(WireMessage message) throws DamagedException {
        if (!message.isWhole()) {
            throw new DamagedException(Damage.NO_MESSAGE);
        }
        return message;
    }

    private static long number(WireMessage message, int field) {
        return message.number(field).orElse(0);
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

    static int crc32c(int sum, byte[] data) {
        return crc32c(sum, data, 0, data.length);
    }

    /** CRC-32C that goes on from an earlier sum, which the JDK's cannot. */
    static int crc32c(int sum, byte[] data, int begin, int end) {
        int state = ~sum;
        for (int at = begin; at < end; at++) {
            state = CHECKSUMS[(state ^ data[at]) & 0xff] ^ state >>> 8;
        }
        return ~state;
    }
}
