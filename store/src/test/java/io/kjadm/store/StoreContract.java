package io.kjadm.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.store.ObjectStore.Content;
import io.kjadm.store.ObjectStore.Creation;
import io.kjadm.store.ObjectStore.Put;
import io.kjadm.store.ObjectStore.Stored;
import io.kjadm.store.ObjectStore.StoredObject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/** What every store promises. */
abstract class StoreContract {

    static final int PART = 16 * 1024 * 1024;

    /** An empty one. */
    abstract ObjectStore store();

    /** What it tells of an object that it has created. */
    Creation created() {
        return Creation.CREATED;
    }

    static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new SplittableRandom(count).nextBytes(bytes);
        return bytes;
    }

    static Content of(byte[] bytes) {
        return to -> {
            for (int at = 0; at < bytes.length; at += 100_000) {
                to.write(bytes, at, Math.min(100_000, bytes.length - at));
            }
        };
    }

    static Optional<byte[]> read(ObjectStore store, String key) throws IOException {
        Optional<InputStream> found = store.open(key);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        try (InputStream in = found.get()) {
            return Optional.of(in.readAllBytes());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 70_000, PART, PART + 1, 2 * PART + 5})
    void anObjectIsReadAsItWasWritten(int size) throws IOException {
        ObjectStore store = store();
        byte[] bytes = bytes(size);

        assertEquals(created(), store.create("a/b", of(bytes)));

        assertArrayEquals(bytes, read(store, "a/b").orElseThrow());
        assertEquals(Map.of("a/b", (long) size), sizes(store.list("")));
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 2 * PART})
    void oneThatExistsIsNeverReplaced(int size) throws IOException {
        ObjectStore store = store();
        store.create("a", of(bytes(20)));

        assertEquals(Creation.EXISTS, store.create("a", of(bytes(size))));

        assertArrayEquals(bytes(20), read(store, "a").orElseThrow());
    }

    @Test
    void ofManyWhoCreateTheSameOneSucceeds() throws Exception {
        ObjectStore store = store();
        List<Callable<Creation>> writers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            byte[] text = ("writer " + i).getBytes(StandardCharsets.UTF_8);
            writers.add(() -> store.create("one", of(text)));
        }
        long winners = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (Future<Creation> done : threads.invokeAll(writers)) {
                winners += done.get() != Creation.EXISTS ? 1 : 0;
            }
        }
        assertEquals(1, winners);
    }

    @Test
    void aSmallObjectIsReadAsItWasPut() {
        ObjectStore store = store();
        Instant before = Instant.now().minusSeconds(5);

        assertEquals(Put.CREATED, store.put("a/b", bytes(70_000)));

        Stored stored = store.read("a/b", 70_000).orElseThrow();
        assertArrayEquals(bytes(70_000), stored.content());
        assertTrue(stored.modified().isAfter(before), stored.modified().toString());
        assertEquals(Map.of("a/b", 70_000L), sizes(store.list("")));
        assertEquals(Optional.empty(), store.read("a/c", 1));
        assertThrows(StoreException.class, () -> store.read("a/b", 69_999));
    }

    @Test
    void putNeverReplaces() throws IOException {
        ObjectStore store = store();
        store.put("a", bytes(20));
        store.create("b", of(bytes(20)));

        assertEquals(Put.EXISTS, store.put("a", bytes(10)));
        assertEquals(Put.EXISTS, store.put("a", bytes(20)));
        assertEquals(Put.EXISTS, store.put("b", bytes(10)));
        assertEquals(Creation.EXISTS, store.create("a", of(bytes(10))));

        assertArrayEquals(bytes(20), read(store, "a").orElseThrow());
        assertArrayEquals(bytes(20), read(store, "b").orElseThrow());
        store.delete("a");
        assertEquals(Put.CREATED, store.put("a", bytes(10)));
    }

    @Test
    void replacedBytesAreReadByTheNextRead() {
        ObjectStore store = store();
        store.replace("a/b", bytes(10));
        assertArrayEquals(bytes(10), store.read("a/b", 100).orElseThrow().content());

        store.replace("a/b", bytes(5));

        assertArrayEquals(bytes(5), store.read("a/b", 100).orElseThrow().content());
        assertEquals(Map.of("a/b", 5L), sizes(store.list("")));
    }

    /** All of them read what the one has put, also those that were refused. */
    @Test
    void ofManyWhoPutTheSameOneSucceeds() throws Exception {
        ObjectStore store = store();
        List<Callable<String>> writers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            byte[] text = ("writer " + i).getBytes(StandardCharsets.UTF_8);
            writers.add(() -> {
                Put put = store.put("one", text);
                while (put == Put.CONFLICT || put == Put.UNKNOWN) {
                    put = store.put("one", text);
                }
                byte[] there = store.read("one", 100).orElseThrow().content();
                return (put == Put.CREATED) + " " + new String(there, StandardCharsets.UTF_8);
            });
        }
        List<String> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (Future<String> done : threads.invokeAll(writers)) {
                results.add(done.get());
            }
        }
        String there =
                new String(store.read("one", 100).orElseThrow().content(), StandardCharsets.UTF_8);
        assertEquals(1, Collections.frequency(results, "true " + there), results.toString());
        assertEquals(7, Collections.frequency(results, "false " + there), results.toString());
        assertEquals(List.of("one"), keys(store.list("")));
    }

    @ParameterizedTest
    @ValueSource(ints = {10, PART + 10})
    void aSourceThatFailsLeavesNothing(int before) throws IOException {
        ObjectStore store = store();

        assertThrows(
                StoreException.class,
                () -> store.create("a", to -> {
                    to.write(bytes(before));
                    throw new IOException("the source is gone");
                }));

        assertEquals(Optional.empty(), read(store, "a"));
        assertEquals(List.of(), store.list(""));
    }

    @Test
    void objectsAreListedByPrefixInOrder() {
        ObjectStore store = store();
        for (String key : List.of("b/2", "a/1/x", "a/1/y", "a/10/z", "c")) {
            store.create(key, of(bytes(1)));
        }

        assertEquals(List.of("a/1/x", "a/1/y"), keys(store.list("a/1/")));
        assertEquals(List.of("a/1/x", "a/1/y", "a/10/z", "b/2", "c"), keys(store.list("")));
        assertEquals(List.of(), keys(store.list("nothing/")));
    }

    /** Who removes what was given up goes by it. */
    @Test
    void aListTellsWhenAnObjectWasWritten() {
        ObjectStore store = store();
        Instant before = Instant.now().minusSeconds(5);
        store.create("a", of(bytes(10)));
        store.put("b", bytes(10));
        store.replace("c", bytes(10));

        for (StoredObject object : store.list("")) {
            assertTrue(object.modified().isAfter(before), object::toString);
            assertTrue(object.modified().isBefore(Instant.now().plusSeconds(5)), object::toString);
        }
    }

    private static Map<String, Long> sizes(List<StoredObject> objects) {
        return objects.stream().collect(Collectors.toMap(StoredObject::key, StoredObject::size));
    }

    private static List<String> keys(List<StoredObject> objects) {
        return objects.stream().map(StoredObject::key).toList();
    }

    @Test
    void aRemovedObjectIsGoneAndMayBeCreatedAgain() throws IOException {
        ObjectStore store = store();
        store.create("a/b/c", of(bytes(3)));

        store.delete("a/b/c");
        store.delete("a/b/c");

        assertEquals(Optional.empty(), read(store, "a/b/c"));
        assertEquals(created(), store.create("a/b/c", of(bytes(4))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/a", "a/", "a//b", "../a", "a/../b", "A", "a b", ".a"})
    void whatIsNoKeyIsRefused(String key) {
        ObjectStore store = store();
        assertThrows(IllegalArgumentException.class, () -> store.open(key));
        assertThrows(IllegalArgumentException.class, () -> store.create(key, of(bytes(1))));
        assertThrows(IllegalArgumentException.class, () -> store.put(key, bytes(1)));
        assertThrows(IllegalArgumentException.class, () -> store.replace(key, bytes(1)));
        assertThrows(IllegalArgumentException.class, () -> store.read(key, 1));
        assertTrue(store.list("").isEmpty());
    }
}
