package io.kjadm.core.etcd.replace;

/** Which of the two comes first where a member is replaced by another one. */
public enum ReplaceOrder {

    /** The new one votes before the old one leaves: at no time are there fewer voters. */
    ADD_FIRST,

    /** The old one leaves before the new one is added: it does not serve, or etcd would not add. */
    REMOVE_FIRST
}
