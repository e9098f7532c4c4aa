package io.kjadm.core.etcd.check;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;

import io.kjadm.etcd.check.WireMessage;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

/**
 * A snapshot of raft, a file {@code *.snap} (etcd's {@code server/etcdserver/api/snap}): a message
 * of checksum and data, the latter one of the store of version 2, in JSON, and where in the log it
 * was taken. The store may be long, so it is read as its bytes go by.
 *
 * @param index      of the entry up to which it goes
 * @param storeAt    where the store begins
 * @param storeBytes how long it is
 */
record RaftSnapshotFile(long index, long storeAt, long storeBytes) {

    // snappb.Snapshot; raftpb.Snapshot; raftpb.SnapshotMetadata
    private static final int FILE_CHECKSUM = 1;
    private static final int FILE_DATA = 2;
    private static final int SNAPSHOT_DATA = 1;
    private static final int SNAPSHOT_METADATA = 2;
    private static final int SNAPSHOT_INDEX = 2;

    private static final int LENGTH_DELIMITED = 2;
    private static final int LONGEST_METADATA = 1 << 20;

    private static final String MEMBERS = "0";
    private static final String PERMISSIONS = "2";
    private static final String CHILDREN = "Children";

    /** Names are not kept: there may be any number of them. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    /** Opens the file; it is read more than once. */
    @FunctionalInterface
    interface Source {

        InputStream open() throws IOException;
    }

    /**
     * Reads one, but for the store.
     *
     * @return empty if it is damaged
     */
    static Optional<RaftSnapshotFile> look(Source file) throws IOException {
        try (InputStream in = file.open()) {
            return new Reader(in).read();
        } catch (EOFException e) {
            return Optional.empty();
        }
    }

    /** Reads the messages in the order in which etcd writes their fields. */
    private static final class Reader {

        private final CRC32C sum = new CRC32C();
        private final CountedInput counted;

        Reader(InputStream in) {
            this.counted = new CountedInput(new BufferedInputStream(in));
        }

        Optional<RaftSnapshotFile> read() throws IOException {
            if (varint(counted) != FILE_CHECKSUM << 3) {
                return Optional.empty();
            }
            long checksum = varint(counted);
            if (varint(counted) != (FILE_DATA << 3 | LENGTH_DELIMITED)) {
                return Optional.empty();
            }
            long end = varint(counted);
            end += counted.passed;
            InputStream summed = new CheckedInputStream(counted, sum);
            long storeAt = 0;
            long storeBytes = 0;
            long index = 0;
            while (counted.passed < end) {
                long tag = varint(summed);
                long length = varint(summed);
                if (length < 0 || length > end - counted.passed) {
                    return Optional.empty();
                }
                if (tag == (SNAPSHOT_METADATA << 3 | LENGTH_DELIMITED)
                        && length <= LONGEST_METADATA) {
                    index = WireMessage.of(summed.readNBytes((int) length))
                            .number(SNAPSHOT_INDEX)
                            .orElse(0);
                } else if (tag == (SNAPSHOT_DATA << 3 | LENGTH_DELIMITED)) {
                    storeAt = counted.passed;
                    storeBytes = length;
                    summed.skipNBytes(length);
                } else {
                    return Optional.empty();
                }
            }
            return sum.getValue() == checksum
                    ? Optional.of(new RaftSnapshotFile(index, storeAt, storeBytes))
                    : Optional.empty();
        }

        private static long varint(InputStream in) throws IOException {
            long value = 0;
            for (int shift = 0; shift < Long.SIZE; shift += 7) {
                int part = in.read();
                if (part < 0) {
                    throw new EOFException();
                }
                value |= (long) (part & 0x7f) << shift;
                if (part < 0x80) {
                    return value;
                }
            }
            throw new EOFException();
        }
    }

    /** Counts what passes. */
    private static final class CountedInput extends FilterInputStream {

        private long passed;

        CountedInput(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int one = super.read();
            passed += one < 0 ? 0 : 1;
            return one;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = super.read(bytes, offset, length);
            passed += Math.max(0, read);
            return read;
        }

        @Override
        public long skip(long count) throws IOException {
            long skipped = super.skip(count);
            passed += skipped;
            return skipped;
        }
    }

    /**
     * Whether its store has keys, below what is etcd's own. Of users and roles the empty directories
     * stay for ever.
     *
     * @throws IOException if the store is not JSON
     */
    boolean hasKeys(Source file) throws IOException {
        try (InputStream in = new BufferedInputStream(file.open())) {
            in.skipNBytes(storeAt);
            boolean found = false;
            try (JsonParser parser = JSON.createParser(new LimitedInput(in, storeBytes))) {
                if (parser.nextToken() == null) {
                    return false;
                }
                int depth = 0;
                do {
                    JsonToken token = parser.currentToken();
                    depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                    found |= token == JsonToken.FIELD_NAME && isKey(parser.getParsingContext());
                } while (depth > 0 && parser.nextToken() != null);
            }
            return found;
        }
    }

    /** Whether this is the name of a key: below a directory that is not etcd's. */
    private static boolean isKey(JsonStreamContext context) {
        List<String> path = path(context);
        int length = path.size();
        boolean store = length >= 5
                && path.get(0).equals("Root")
                && path.get(1).equals(CHILDREN)
                && path.get(3).equals(CHILDREN)
                && !path.get(2).equals(MEMBERS);
        if (!store) {
            return false;
        }
        // names that begin with a line are not listed, and do not count
        return path.get(2).equals(PERMISSIONS)
                ? length == 7 && path.get(5).equals(CHILDREN) && !path.get(6).startsWith("_")
                : length == 5 && !path.get(4).startsWith("_");
    }

    /** The names down to this one; none if there are more than matter, or a list among them. */
    private static List<String> path(JsonStreamContext context) {
        List<String> names = new ArrayList<>();
        for (JsonStreamContext at = context; !at.inRoot(); at = at.getParent()) {
            if (!at.inObject() || names.size() == 7) {
                return List.of();
            }
            names.addFirst(at.getCurrentName());
        }
        return names;
    }

    /** Ends after so many bytes. */
    private static final class LimitedInput extends FilterInputStream {

        private long left;

        LimitedInput(InputStream in, long left) {
            super(in);
            this.left = left;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int read = super.read(bytes, offset, (int) Math.min(left, length));
            left -= Math.max(0, read);
            return read;
        }
    }
}
