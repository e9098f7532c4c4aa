package io.kjadm.etcd;

/**
 * What a member's keys add up to at a revision. Two members hold the same if their hashes agree,
 * which can be said only where both have compacted to the same revision.
 *
 * @param revision        up to which was added
 * @param compactRevision to which the member has compacted
 */
public record KvHash(long revision, long compactRevision, int hash) {

    /** Whether the two can be compared. */
    public boolean comparable(KvHash other) {
        return revision == other.revision && compactRevision == other.compactRevision;
    }
}
