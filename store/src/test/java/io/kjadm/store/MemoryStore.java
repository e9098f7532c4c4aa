package io.kjadm.store;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** Objects in memory. */
public final class MemoryStore implements ObjectStore {

    /** By key; tests may bend them. */
    public final Map<String, byte[]> objects = new ConcurrentSkipListMap<>();

    @Override
    public StoreUrl location() {
        return StoreUrl.parse("s3://memory/");
    }

    @Override
    public Creation create(String key, Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            content.writeTo(bytes);
        } catch (IOException e) {
            throw new StoreException("cannot write " + key, e.getMessage(), e);
        }
        return objects.putIfAbsent(Keys.checked(key), bytes.toByteArray()) == null
                ? Creation.CREATED
                : Creation.EXISTS;
    }

    @Override
    public Optional<InputStream> open(String key) {
        return Optional.ofNullable(objects.get(Keys.checked(key))).map(ByteArrayInputStream::new);
    }

    @Override
    public List<StoredObject> list(String prefix) {
        return objects.entrySet().stream()
                .filter(object -> object.getKey().startsWith(prefix))
                .map(object -> new StoredObject(object.getKey(), object.getValue().length))
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
