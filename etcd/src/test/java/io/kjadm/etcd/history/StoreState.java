package io.kjadm.etcd.history;

import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a store holds before clients begin: nothing, or what a snapshot had.
 *
 * @param keys that exist
 */
public record StoreState(long revision, Map<String, Found> keys) {

    /** Of a cluster that was just created. */
    public static final StoreState NEW = new StoreState(1, Map.of());

    public StoreState {
        keys = Map.copyOf(keys);
    }

    /**
     * Reads it.
     *
     * @param etcd that no client writes to
     */
    static StoreState read(KeyValueCalls etcd) {
        Map<String, Found> keys = new TreeMap<>();
        long revision = 0;
        for (String key : HistoryClients.keys()) {
            Read read = (Read) etcd.call(new Request.Get(key, false))
                    .orElseThrow(() -> new AssertionError("no answer to a read of " + key));
            read.found().ifPresent(found -> keys.put(key, found));
            revision = read.revision();
        }
        return new StoreState(revision, keys);
    }

    Optional<Found> of(String key) {
        return Optional.ofNullable(keys.get(key));
    }
}
