package io.kjadm.etcd.join;

import java.util.Optional;

/** Where a node keeps its {@link JoinEntry}, as a port. There is one entry or none. */
public interface MembershipJournal {

    /** The entry, if there is one that can be read: a torn one counts as none. */
    Optional<JoinEntry> read();

    /**
     * Writes the entry so that it survives a power cut as soon as this returns; the old one or the
     * new one is there.
     */
    void write(JoinEntry entry);

    /** Forgets the entry. */
    void clear();
}
