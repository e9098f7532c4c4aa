package io.kjadm.core.auto;

import io.kjadm.store.MemoryStore;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.StoreException;
import io.kjadm.store.StoreUrl;

import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** A store whose answers to puts a test writes down, and that can be down. */
final class FlakyStore implements ObjectStore {

    /** What happens to a put. */
    enum Fate {
        /** It is carried out and answered. */
        KEPT,
        /** It is carried out, and the answer is lost. */
        ANSWER_LOST,
        /** It is not carried out, and there is no answer. */
        LOST,
        /** There is no answer; it is carried out before the next but one call. */
        LATE,
        BUSY,
        DENIED,
        /** It is carried out, and the machine is killed. */
        KILLED
    }

    final MemoryStore real;
    final Deque<Fate> fates = new ArrayDeque<>();
    boolean down;
    /** Whether it only shows what it holds. */
    boolean readOnly;
    /** Which of the next calls are not answered. */
    final Deque<Boolean> silences = new ArrayDeque<>();

    int puts;
    int lists;
    int reads;

    private Runnable late = () -> {};
    private int calls;

    FlakyStore(MemoryStore real) {
        this.real = real;
    }

    /** Those of the puts after so many. */
    void afterPuts(int count, List<Fate> following) {
        fates.addAll(Collections.nCopies(count, Fate.KEPT));
        fates.addAll(following);
    }

    private void call() {
        if (down || Boolean.TRUE.equals(silences.poll())) {
            throw new StoreException("cannot use the store", "it is down", null);
        }
        if (calls > 0 && --calls == 0) {
            late.run();
        }
    }

    private void write(String what) {
        call();
        if (readOnly) {
            throw new StoreException("cannot " + what, "permission denied", null);
        }
    }

    @Override
    public StoreUrl location() {
        return real.location();
    }

    @Override
    public synchronized Put put(String key, byte[] content) {
        write("write " + key);
        puts++;
        Fate fate = Optional.ofNullable(fates.poll()).orElse(Fate.KEPT);
        return switch (fate) {
            case KEPT -> real.put(key, content);
            case ANSWER_LOST -> {
                real.put(key, content);
                yield Put.UNKNOWN;
            }
            case LOST -> Put.UNKNOWN;
            case LATE -> {
                late = () -> real.put(key, content);
                calls = 2;
                yield Put.UNKNOWN;
            }
            case BUSY -> Put.CONFLICT;
            case DENIED ->
                throw new StoreException("cannot write " + key, "permission denied", null);
            case KILLED -> {
                real.put(key, content);
                throw new IllegalStateException("killed");
            }
        };
    }

    @Override
    public void replace(String key, byte[] content) {
        write("replace " + key);
        real.replace(key, content);
    }

    @Override
    public Optional<Stored> read(String key, int limit) {
        call();
        reads++;
        return real.read(key, limit);
    }

    @Override
    public List<StoredObject> list(String prefix) {
        call();
        lists++;
        return real.list(prefix);
    }

    @Override
    public void delete(String key) {
        write("delete " + key);
        real.delete(key);
    }

    @Override
    public Creation create(String key, Content content) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<InputStream> open(String key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        real.close();
    }
}
