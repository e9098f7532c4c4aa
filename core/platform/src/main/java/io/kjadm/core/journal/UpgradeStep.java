package io.kjadm.core.journal;

/** How far an upgrade, or a change of etcd's version, is with the files of this machine. */
public enum UpgradeStep {
    /** Nothing was changed but the journal. */
    BEGUN,
    /** The snapshot of etcd is whole. */
    SNAPSHOT_TAKEN,
    /** The previous content of a file is kept; the file is changed next. */
    CHANGING,
    /** A component was seen to work after its change. */
    COMPONENT_DONE,
    /** Given up: the files go back. */
    ROLLING_BACK
}
