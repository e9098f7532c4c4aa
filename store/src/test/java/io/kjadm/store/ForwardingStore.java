package io.kjadm.store;

import java.io.InputStream;
import java.util.List;
import java.util.Optional;

/** A store that answers as another one does, until somebody changes that. */
public class ForwardingStore implements ObjectStore {

    private final ObjectStore real;

    public ForwardingStore(ObjectStore real) {
        this.real = real;
    }

    @Override
    public StoreUrl location() {
        return real.location();
    }

    @Override
    public Creation create(String key, Content content) {
        return real.create(key, content);
    }

    @Override
    public Put put(String key, byte[] content) {
        return real.put(key, content);
    }

    @Override
    public void replace(String key, byte[] content) {
        real.replace(key, content);
    }

    @Override
    public Optional<Stored> read(String key, int limit) {
        return real.read(key, limit);
    }

    @Override
    public Optional<InputStream> open(String key) {
        return real.open(key);
    }

    @Override
    public List<StoredObject> list(String prefix) {
        return real.list(prefix);
    }

    @Override
    public void delete(String key) {
        real.delete(key);
    }

    @Override
    public void close() {
        real.close();
    }
}
