package io.kjadm.core.snapshot;

import io.kjadm.core.error.ClusterException;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Content;
import io.kjadm.store.ObjectStore.Creation;
import io.kjadm.store.StoreException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** The objects of a store that snapshots consist of: their keys, and how they are created. */
record SnapshotObjects(ObjectStore store) {

    static final String ROOT = "v1/snapshots/";
    static final String DATA = "data";
    static final String PKI = "pki";
    static final String MANIFEST = "manifest.json";
    static final String SIGNATURE = "manifest.sig";
    static final String VERIFICATION = "verify-";
    static final String JSON = ".json";
    static final int LARGEST_MANIFEST = 1024 * 1024;
    static final int LARGEST_SIGNATURE = 64 + 1;

    /** Compares what is in a store already. */
    @FunctionalInterface
    interface Comparing {

        boolean same(InputStream found) throws IOException;
    }

    static String place(SnapshotManifest manifest) {
        return place(manifest.origin().clusterId(), manifest.name());
    }

    static String place(String clusterId, String name) {
        return ROOT + clusterId + "/" + name + "/";
    }

    static String signatureOf(String key) {
        return key.substring(0, key.length() - JSON.length()) + ".sig";
    }

    /** What the signature of a note is over: its place, a line feed, and its bytes. */
    static byte[] about(String key, byte[] note) {
        byte[] place = (key + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] both = Arrays.copyOf(place, place.length + note.length);
        System.arraycopy(note, 0, both, place.length, note.length);
        return both;
    }

    /** The first bytes of an object, at most so many. */
    Optional<byte[]> start(String key, int limit) {
        Optional<InputStream> found = store.open(key);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        try (InputStream in = found.get()) {
            return Optional.of(in.readNBytes(limit));
        } catch (IOException e) {
            throw unreadable(key, e);
        }
    }

    /** @return whether the store has confirmed the bytes by their checksum */
    boolean create(String key, Content content) {
        Creation creation = store.create(key, content);
        if (creation == Creation.EXISTS) {
            throw exists(key);
        }
        return creation == Creation.CONFIRMED;
    }

    ClusterException exists(String key) {
        return new ClusterException(
                "%s has %s already".formatted(store.location(), key),
                "another program has written it, or the clock went back",
                "run the command again");
    }

    /** One that has the same bytes already is the work of a run that was interrupted. */
    void createSame(String key, byte[] bytes, int limit) {
        if (store.create(key, to -> to.write(bytes)) == Creation.EXISTS
                && start(key, limit)
                        .filter(there -> Arrays.equals(there, bytes))
                        .isEmpty()) {
            throw exists(key);
        }
    }

    /** Whether an object has these bytes already; one with others that is of no snapshot goes. */
    boolean isThere(SnapshotManifest manifest, String key, Comparing comparing) {
        Optional<InputStream> there = store.open(key);
        if (there.isEmpty()) {
            return false;
        }
        try (InputStream found = there.get()) {
            if (comparing.same(found)) {
                return true;
            }
        } catch (IOException e) {
            throw unreadable(key, e);
        }
        if (start(place(manifest) + MANIFEST, 1).isPresent()) {
            throw exists(key);
        }
        store.delete(key);
        return false;
    }

    static StoreException unreadable(String key, IOException e) {
        return new StoreException("cannot read " + key, e.getMessage(), e);
    }
}
