package io.kjadm.etcd.upgrade;

/**
 * What {@code etcdutl check v2store} finds in a member's data directory: keys of etcd's API of
 * version 2, which has nothing to do with Kubernetes.
 */
public enum V2Content {
    NONE,
    IN_STORE,
    IN_LOG,
    IN_BOTH,
    /** Nobody looked, or it could not be told. */
    UNKNOWN
}
