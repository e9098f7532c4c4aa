package io.kjadm.etcd.recover;

import io.kjadm.etcd.MemberId;

/** What a member's write-ahead log tells. */
public sealed interface LogEvidence {

    /**
     * It could be read to its end.
     *
     * @param clusterId hexadecimal, as a status tells it
     * @param position  how far it goes
     * @param gap       what the database has not got of it
     */
    record Readable(MemberId memberId, String clusterId, Position position, Gap gap)
            implements LogEvidence {}

    /**
     * It could not.
     *
     * @param why a clause that begins with "it"
     */
    record Damaged(String why) implements LogEvidence {}

    /**
     * Indexes of raft's log.
     *
     * @param commit    up to which the member knows that it is committed
     * @param lastTerm  of its last entry
     * @param lastIndex of its last entry, which a majority need not have
     */
    record Position(long commit, long lastTerm, long lastIndex) {}

    /**
     * Entries with content that the database has not got.
     *
     * @param committed the member applies these when it starts, without a quorum too
     * @param open      behind what it knows to be committed: they may have been acknowledged all the
     *     same, if the members that are gone had them
     */
    record Gap(long committed, long open) {}
}
