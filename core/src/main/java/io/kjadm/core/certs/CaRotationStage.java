package io.kjadm.core.certs;

/** How far a node is in a rotation of etcd's CA; in order. */
enum CaRotationStage {
    /** It knows the former CA only. */
    BEFORE,
    /** Its etcd and its API server have started with both CAs. */
    TRUSTS_BOTH,
    /** Its certificates are signed by the new CA. */
    ISSUED,
    /** Its etcd and its API server have started with the new CA alone. */
    ENDED
}
