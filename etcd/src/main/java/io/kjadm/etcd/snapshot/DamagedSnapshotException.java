package io.kjadm.etcd.snapshot;

/** What was read is no whole database of etcd; the message says why, in a clause about "it". */
final class DamagedSnapshotException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DamagedSnapshotException(String why) {
        super(why);
    }
}
