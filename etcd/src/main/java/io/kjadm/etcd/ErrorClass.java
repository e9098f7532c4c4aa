package io.kjadm.etcd;

/** What a failed call to etcd means for who made it. */
public enum ErrorClass {
    /** What was asked for is perhaps so already; the member list decides, not the error. */
    DONE,
    /** Not yet: the cluster will accept it later. */
    WAIT,
    /** The call did not happen or was a read; it may be made again after reading back. */
    TRANSIENT,
    /** A change whose outcome nobody knows: it may even be applied later. */
    AMBIGUOUS,
    /** The cluster needs an operator. */
    NEEDS_HUMAN,
    /** The same call will never succeed. */
    FATAL
}
