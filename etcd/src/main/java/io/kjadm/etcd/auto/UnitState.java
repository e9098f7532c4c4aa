package io.kjadm.etcd.auto;

/** What systemd tells of etcd's unit. */
public enum UnitState {
    /** There is no such unit. */
    ABSENT,
    /** It runs, or is being started. */
    ACTIVE,
    /** It was stopped, and systemd reports success. */
    STOPPED,
    /**
     * It was to be started and was not: a check or a mount has failed, or a command of the automatic
     * mode that had stopped it was killed.
     */
    SKIPPED,
    /** It ended by itself, with an error, and systemd starts it again in some seconds. */
    RESTARTING,
    /** It ended by itself, with an error. */
    FAILED
}
