package io.kjadm.etcd;

import java.util.Map;
import java.util.Optional;

/**
 * A few small texts in etcd that the nodes of a cluster leave for each other. Keys of this program
 * begin with {@link #PREFIX}; Kubernetes' own begin with {@code /registry}. Every call is made
 * once, with a deadline, and throws {@link EtcdCallException} for everything but the wanted answer.
 */
public interface EtcdValues extends AutoCloseable {

    /** With which all keys begin. */
    String PREFIX = "/kjadm.io/";

    /** The value of a key now, by what a quorum agrees on. */
    Optional<String> read(String key);

    /** The values of all keys that begin with this, by key. */
    Map<String, String> readAll(String prefix);

    /**
     * Writes a value if there is none.
     *
     * @return whether there was none
     */
    @Mutates
    boolean create(String key, String value);

    @Mutates
    void write(String key, String value);

    /** Removes all keys that begin with this; a key that is not there is no failure. */
    @Mutates
    void removeAll(String prefix);

    /**
     * Writes a value if another key has the value that is expected.
     *
     * @return whether it had
     */
    @Mutates
    boolean writeIf(String guard, String expected, String key, String value);

    /**
     * {@link #removeAll}, if a key has the value that is expected.
     *
     * @return whether it had
     */
    @Mutates
    boolean removeAllIf(String guard, String expected, String prefix);

    /** Frees the connections; throws nothing. */
    @Override
    void close();
}
