package io.kjadm.etcd.check;

/** What is in etcd's data directory before the join. */
public sealed interface DataDirectory {

    /** Nothing, or nothing that etcd minds. */
    record Empty() implements DataDirectory {}

    /** A member's data. */
    record Held(String path, WalIdentity identity) implements DataDirectory {}

    /** Something that is not a member's data, or cannot be read as such. */
    record Unreadable(String path, String why) implements DataDirectory {}
}
