package io.kjadm.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Keeps objects under names. None is replaced but by {@link #replace}, so that two who write at the
 * same time cannot destroy each other's; one that is listed is whole. Every call but {@link #close}
 * throws {@link StoreException}.
 *
 * <p>A key has parts of {@code [a-z0-9._-]} with {@code /} between them.
 */
public interface ObjectStore extends AutoCloseable {

    /** Where it is, as the operator named it. */
    StoreUrl location();

    /**
     * Creates an object of bytes as they come. They are kept by nobody meanwhile but in parts.
     *
     * @return whether this call has created it; one that exists stays as it is
     * @throws StoreException if it could not be created whole, or {@code content} gave up; nothing
     *     is left under the key then, as far as the store still answers
     */
    Creation create(String key, Content content);

    /**
     * Creates a small object by one request that is never sent again here. It never replaces.
     *
     * @throws StoreException only if it is certain that nothing was or will be written
     */
    Put put(String key, byte[] content);

    /** Writes a small object, whole or not at all, over one that may exist. */
    void replace(String key, byte[] content);

    /**
     * The bytes of a small object; empty if there is none.
     *
     * @param limit most bytes; a larger object is a {@link StoreException}
     */
    Optional<Stored> read(String key, int limit);

    /** The bytes of an object from the first on; empty if there is none. The caller closes it. */
    Optional<InputStream> open(String key);

    /**
     * Where an object lies on this machine, for a program that reads files; empty if it lies
     * elsewhere, or there is none. Nobody may write to it.
     */
    default Optional<Path> file(String key) {
        return Optional.empty();
    }

    /**
     * All objects whose key begins so, sorted by key.
     *
     * @param prefix empty, or it ends with {@code /}
     */
    List<StoredObject> list(String prefix);

    /** Removes an object; nothing happens if there is none. */
    void delete(String key);

    /**
     * Writes that have not ended, below a prefix: they are going on, or their program was killed.
     * No object shows anything of them, though they take room.
     *
     * @param prefix empty, or it ends with {@code /}
     */
    default List<Unfinished> unfinished(String prefix) {
        return List.of();
    }

    /** Removes what an unfinished write has left; nothing happens if there is none. */
    default void abandon(Unfinished write) {
        // nothing is left where nothing is unfinished
    }

    /** Frees the connections; throws nothing. */
    @Override
    void close();

    /** What became of an attempt to create an object. */
    enum Creation {
        CREATED,
        /** It was created, and the store has told the checksum of the bytes that were sent. */
        CONFIRMED,
        /** Another one was there, and stays. */
        EXISTS
    }

    /** What became of one request to create an object. */
    enum Put {
        /** The bytes of this call are there. */
        CREATED,
        /** An object is there: another one, or that of an earlier call whose answer was lost. */
        EXISTS,
        /** The store was busy with another request for the key: nothing is known to be there. */
        CONFLICT,
        /** The store did not answer, or failed: the bytes are there, or come later, or never. */
        UNKNOWN
    }

    /**
     * A small object.
     *
     * @param modified when it was written, by the store's clock
     */
    record Stored(byte[] content, Instant modified) {}

    /** Where an object's bytes come from. */
    @FunctionalInterface
    interface Content {

        /** Writes them all. */
        void writeTo(OutputStream object) throws IOException;
    }

    /**
     * An object.
     *
     * @param size     in bytes
     * @param modified when it was written, by the store's clock
     */
    record StoredObject(String key, long size, Instant modified) {

        /**
         * Whether it can be opened and removed. Others who write to the store may have created one
         * whose name this interface never gives.
         */
        public boolean hasKey() {
            return Keys.isKey(key);
        }
    }

    /**
     * A write that has not ended.
     *
     * @param key   where its bytes are, below the key of its object or as that
     * @param id    what the store calls it, beside its key; may be empty
     * @param since when it was begun, or last written to
     */
    record Unfinished(String key, String id, Instant since) {}
}
