package io.kjadm.etcd;

import java.time.Duration;
import java.util.List;

/**
 * A queue in etcd for who wants to be alone with it, as etcd's own concurrency package keeps one
 * ({@code client/v3/concurrency/mutex.go}): everybody creates a key that goes with its lease, and
 * whoever created the first has the turn. Every call is made once, with a deadline, and throws
 * {@link EtcdCallException} for everything but the wanted answer.
 */
public interface EtcdQueue extends AutoCloseable {

    /** Below which the keys are. */
    String PREFIX = EtcdValues.PREFIX + "etcd/lock/";

    /**
     * Somebody who waits, or has the turn.
     *
     * @param lease with which the entry goes
     * @param text  what is to be known of it
     */
    record Entry(long lease, String text) {}

    /**
     * Makes a lease.
     *
     * @param lasts how long it does without being renewed
     */
    @Mutates
    long grant(Duration lasts);

    /**
     * Renews a lease.
     *
     * @return whether there was one to be renewed
     */
    @Mutates
    boolean renew(long lease);

    /** Ends a lease, and with it its entry; one that has ended is no failure. */
    @Mutates
    void revoke(long lease);

    /** Enters the queue behind all who are in it, or changes the text of the entry. */
    @Mutates
    void enter(Entry entry);

    /** All who are in it, the first one first. */
    List<Entry> entries();

    /** Frees the connections; throws nothing. */
    @Override
    void close();
}
