package io.kjadm.etcd.recover;

/** What a look into a member's database found. */
public sealed interface DatabaseEvidence {

    /**
     * Its tree is whole.
     *
     * @param applied the entry of raft's log that was applied last ({@code consistent_index})
     * @param term    of that entry; 0 below etcd 3.5
     */
    record Whole(long revision, long applied, long term, long bytes) implements DatabaseEvidence {}

    /**
     * Its tree is damaged.
     *
     * @param why a clause that begins with "it"
     */
    record Damaged(String why) implements DatabaseEvidence {}

    /**
     * It was not looked into.
     *
     * @param why a sentence
     */
    record Unread(String why) implements DatabaseEvidence {}
}
