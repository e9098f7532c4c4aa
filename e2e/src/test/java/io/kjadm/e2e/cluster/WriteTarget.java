package io.kjadm.e2e.cluster;

import java.util.Set;

/** What a {@link Writer} writes to; any unchecked exception means that there was no answer. */
interface WriteTarget extends AutoCloseable {
    /** Returns when the write was acknowledged, which takes a few seconds at most. */
    void put(String key, String value);

    /** Whether a key is there, read linearizably. */
    boolean has(String key);

    /** All keys with a prefix, read linearizably. */
    Set<String> keys(String prefix);

    /** Tries to connect now. */
    void reconnect();

    @Override
    void close();
}
