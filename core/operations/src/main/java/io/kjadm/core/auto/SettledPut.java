package io.kjadm.core.auto;

import io.kjadm.core.phase.Waiter;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Put;
import io.kjadm.store.ObjectStore.Stored;
import io.kjadm.store.StoreException;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Creates an object whose request may go unanswered: it is asked for, and sent again, for a while. */
record SettledPut(ObjectStore store, Waiter waiter) {

    static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration RETRY = Duration.ofSeconds(1);

    /**
     * Creates it, unless one is there.
     *
     * @return what is under the key then; empty if the store did not tell, and these bytes may still come
     *     to be there
     * @throws StoreException if nothing was or will be written
     */
    Optional<byte[]> put(String key, byte[] bytes, int limit) {
        Instant begun = waiter.now();
        if (store.put(key, bytes) == Put.CREATED) {
            return Optional.of(bytes);
        }
        while (true) {
            Optional<byte[]> there = there(key, limit);
            if (there.isPresent()
                    || Duration.between(begun, waiter.now()).compareTo(PATIENCE) >= 0) {
                return there;
            }
            waiter.pause("store", "the store does not tell whether it has written", RETRY);
            if (again(key, bytes)) {
                return Optional.of(bytes);
            }
        }
    }

    private Optional<byte[]> there(String key, int limit) {
        try {
            return store.read(key, limit).map(Stored::content);
        } catch (StoreException e) {
            return Optional.empty();
        }
    }

    private boolean again(String key, byte[] bytes) {
        try {
            return store.put(key, bytes) == Put.CREATED;
        } catch (StoreException e) {
            // the first request may be carried out all the same
            return false;
        }
    }
}
