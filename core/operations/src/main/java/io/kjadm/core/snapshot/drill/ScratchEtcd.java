package io.kjadm.core.snapshot.drill;

import io.kjadm.core.error.HostException;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;

import java.nio.file.Path;

/**
 * An etcd that was made of a snapshot and is thrown away, as a port. It serves nobody else. Each
 * question may throw {@link EtcdCallException}.
 */
interface ScratchEtcd extends AutoCloseable {

    /** Makes them. */
    interface Maker {

        /** Of which version they are. */
        EtcdVersion version();

        /**
         * Makes one; returns when it serves.
         *
         * @param snapshot whole; may be read only
         * @param work     a folder for it alone
         * @throws UnusableSnapshotException if etcd's own programs do not take the snapshot
         * @throws HostException             if it is not for the snapshot that none could be made
         */
        ScratchEtcd of(Path snapshot, Path work);
    }

    /** That etcd's own programs do not take a snapshot; the message is a clause with "it". */
    final class UnusableSnapshotException extends RuntimeException {

        private static final long serialVersionUID = 1;

        UnusableSnapshotException(String why) {
            super(why);
        }
    }

    /** What its keys add up to at a revision. */
    KvHash hashAt(long revision);

    /** How many keys there were at a revision. */
    long keysAt(long revision);

    /** Gives up its history before a revision. */
    void compact(long revision);

    /** Ends it; throws nothing. */
    @Override
    void close();
}
