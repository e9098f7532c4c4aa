package io.kjadm.etcd.snapshot;

import io.kjadm.etcd.EtcdVersion;

import java.util.List;
import java.util.Optional;

/**
 * What a snapshot holds, as far as it was looked into.
 *
 * @param revision        of the newest change; 1 if there was none
 * @param compactRevision below which history is gone; 0 if nothing was compacted
 * @param total           of all buckets together
 * @param databaseBytes   of the database, without a sum behind it
 * @param raft            the entry of raft's log that was applied last
 * @param storageVersion  from etcd 3.6 on
 * @param buckets         their names
 */
public record SnapshotContent(
        long revision,
        long compactRevision,
        Total total,
        long databaseBytes,
        AppliedEntry raft,
        Optional<EtcdVersion> storageVersion,
        List<String> buckets) {

    /**
     * All entries together, as {@code etcdutl snapshot status} shows them.
     *
     * @param entries their number ({@code totalKey} up to 3.5)
     * @param hash    over them
     */
    public record Total(long entries, int hash) {}

    public SnapshotContent {
        buckets = List.copyOf(buckets);
    }

    /**
     * Of raft's log.
     *
     * @param term 0 below etcd 3.5, which does not store it
     */
    public record AppliedEntry(long index, long term) {}
}
