package io.kjadm.etcd;

/** Whether a call changes the cluster: a lost reply to a change leaves its outcome unknown. */
public enum RpcKind {
    READ,
    CHANGE
}
