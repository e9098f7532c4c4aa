package io.kjadm.store;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Objects in memory. */
public final class MemoryStore implements ObjectStore {

    /** By key; tests may bend them. */
    public final Map<String, byte[]> objects = new ConcurrentSkipListMap<>();
    /** By key, when an object was written; tests may bend them. */
    public final Map<String, Instant> times = new ConcurrentHashMap<>();
    /** The clock of the store. */
    public volatile InstantSource clock = InstantSource.system();

    /** Whether it tells checksums. */
    public boolean confirms;

    public StoreUrl location = StoreUrl.parse("s3://memory/");

    @Override
    public StoreUrl location() {
        return location;
    }

    @Override
    public Creation create(String key, Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            content.writeTo(bytes);
        } catch (IOException e) {
            throw new StoreException("cannot write " + key, e.getMessage(), e);
        }
        if (objects.putIfAbsent(Keys.checked(key), bytes.toByteArray()) != null) {
            return Creation.EXISTS;
        }
        times.put(key, clock.instant());
        return confirms ? Creation.CONFIRMED : Creation.CREATED;
    }

    @Override
    public Put put(String key, byte[] content) {
        if (objects.putIfAbsent(Keys.checked(key), content.clone()) != null) {
            return Put.EXISTS;
        }
        times.put(key, clock.instant());
        return Put.CREATED;
    }

    @Override
    public void replace(String key, byte[] content) {
        objects.put(Keys.checked(key), content.clone());
        times.put(key, clock.instant());
    }

    @Override
    public Optional<Stored> read(String key, int limit) {
        byte[] content = objects.get(Keys.checked(key));
        if (content == null) {
            return Optional.empty();
        }
        if (content.length > limit) {
            throw new StoreException(
                    "cannot read " + key, "it has more than %d bytes".formatted(limit));
        }
        return Optional.of(new Stored(content.clone(), times.getOrDefault(key, Instant.EPOCH)));
    }

    @Override
    public Optional<InputStream> open(String key) {
        return Optional.ofNullable(objects.get(Keys.checked(key))).map(ByteArrayInputStream::new);
    }

    @Override
    public List<StoredObject> list(String prefix) {
        return objects.entrySet().stream()
                .filter(object -> object.getKey().startsWith(prefix))
                .map(object -> new StoredObject(
                        object.getKey(),
                        object.getValue().length,
                        times.getOrDefault(object.getKey(), Instant.EPOCH)))
                .toList();
    }

    @Override
    public void delete(String key) {
        objects.remove(Keys.checked(key));
    }

    @Override
    public void close() {
        // nothing is open
    }
}
