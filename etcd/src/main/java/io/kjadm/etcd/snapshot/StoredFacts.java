package io.kjadm.etcd.snapshot;

import io.kjadm.etcd.EtcdVersion;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What etcd notes of itself in bucket {@code meta} (etcd's {@code server/storage/schema/schema.go}).
 *
 * @param values by their keys
 */
record StoredFacts(Map<String, byte[]> values) {

    private static final String CONSISTENT_INDEX = "consistent_index";
    private static final String TERM = "term";
    private static final String STORAGE_VERSION = "storageVersion";
    private static final String COMPACTED = "finishedCompactRev";
    private static final String COMPACTION = "scheduledCompactRev";
    private static final Set<String> KEYS =
            Set.of(CONSISTENT_INDEX, TERM, STORAGE_VERSION, COMPACTED, COMPACTION);
    private static final int LONGEST =
            KEYS.stream().mapToInt(String::length).max().orElseThrow();

    /** A number, a revision or a version. */
    private static final int LONGEST_VALUE = 32;

    /**
     * The name of a fact, if this may be the entry of one.
     *
     * @param bytes that have the whole key
     */
    static Optional<String> name(byte[] bytes, int keyAt, int keyBytes, long valueBytes) {
        // revisions, which nearly all keys are, begin with a zero
        boolean possible = keyBytes > 0
                && keyBytes <= LONGEST
                && bytes[keyAt] >= 'a'
                && valueBytes <= LONGEST_VALUE;
        return possible
                ? Optional.of(new String(bytes, keyAt, keyBytes, StandardCharsets.ISO_8859_1))
                        .filter(KEYS::contains)
                : Optional.empty();
    }

    /** Whether one of these is a fact. */
    static boolean isAmong(Set<String> names) {
        return names.stream().anyMatch(KEYS::contains);
    }

    /** The raft entry that was applied last; 0 if it is not told. */
    long consistentIndex() {
        return number(CONSISTENT_INDEX);
    }

    /** That entry's term; 0 below 3.5. */
    long term() {
        return number(TERM);
    }

    /** The revision below which history is gone; 0 if it never was compacted. */
    long compactRevision() {
        return Math.max(number(COMPACTED), number(COMPACTION));
    }

    /**
     * From 3.6 on.
     *
     * @throws DamagedSnapshotException if it is no version
     */
    Optional<EtcdVersion> storageVersion() {
        try {
            return Optional.ofNullable(values.get(STORAGE_VERSION))
                    .map(value -> new String(value, StandardCharsets.UTF_8))
                    .map(EtcdVersion::parse);
        } catch (IllegalArgumentException e) {
            throw new DamagedSnapshotException("its storage version is none: " + e.getMessage());
        }
    }

    private long number(String name) {
        byte[] value = values.get(name);
        return value == null || value.length < Long.BYTES
                ? 0
                : ByteBuffer.wrap(value).getLong();
    }
}
