package io.kjadm.core.journal;

/** How far a node is in a rotation of etcd's CA; in order. */
public enum CaRotationStage {
    /** It knows the former CA only. */
    BEFORE,
    /** What reads the CAs on it has started with both. */
    TRUSTS_BOTH,
    /** Its certificates are signed by the new CA. */
    ISSUED,
    /** What reads the CAs on it has started with the new one alone. */
    ENDED
}
