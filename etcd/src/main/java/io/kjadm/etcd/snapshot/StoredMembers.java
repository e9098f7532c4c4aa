package io.kjadm.etcd.snapshot;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The members of the cluster as the database lists them: bucket {@code members} has for each ID, in
 * hexadecimal digits, the member in JSON (etcd's {@code server/storage/schema/membership.go}).
 */
final class StoredMembers {

    static final String BUCKET = "members";

    /** Hexadecimal digits of an ID. */
    private static final int LONGEST_KEY = 16;

    /** More than a member with many long URLs has; no value of a key is kept by mistake. */
    private static final int LONGEST_VALUE = 16 * 1024;

    private StoredMembers() {}

    /**
     * The ID, if this may be a member's entry, as far as its key and the length of its value tell.
     *
     * @param bytes that have the whole key
     */
    static Optional<String> name(byte[] bytes, int keyAt, int keyBytes, long valueBytes) {
        boolean possible = keyBytes > 0
                && keyBytes <= LONGEST_KEY
                && valueBytes > 0
                && valueBytes <= LONGEST_VALUE;
        if (!possible) {
            return Optional.empty();
        }
        for (int at = keyAt; at < keyAt + keyBytes; at++) {
            if (Character.digit(bytes[at], LONGEST_KEY) < 0) {
                return Optional.empty();
            }
        }
        return Optional.of(new String(bytes, keyAt, keyBytes, StandardCharsets.ISO_8859_1));
    }

    /** Whether a member's value may begin so. */
    static boolean begins(byte value) {
        return value == '{';
    }

    /** Those of a bucket, in the order of their IDs. */
    static List<String> of(Map<String, byte[]> entries) {
        return new TreeMap<>(entries)
                .values().stream()
                        .map(value -> new String(value, StandardCharsets.UTF_8))
                        .toList();
    }
}
