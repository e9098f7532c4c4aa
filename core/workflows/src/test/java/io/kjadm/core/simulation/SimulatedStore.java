package io.kjadm.core.simulation;

import io.kjadm.etcd.model.VirtualWorld;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.StoreException;
import io.kjadm.store.StoreUrl;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A store as one program reaches it. */
class SimulatedStore implements ObjectStore {

    private static final int LATE = 600_000;
    private static final int ATTEMPT = 10_000;

    private final Shelf shelf;
    private final Host host;
    private final Program program;

    SimulatedStore(Shelf shelf, Host host, Program program) {
        this.shelf = shelf;
        this.host = host;
        this.program = program;
    }

    /** What the store really holds, and what is wrong with it. */
    static final class Shelf {
        final NavigableMap<String, byte[]> objects = new TreeMap<>();
        final Map<String, Instant> times = new HashMap<>();
        private final VirtualWorld world;
        private final Random random;
        /** Who sees each object that is created. */
        private final Consumer<String> watch;

        int down;
        int lossy;
        int busy;
        int slow;
        int readOnly;
        /** By how much its clock is wrong. */
        Duration ahead = Duration.ZERO;

        Shelf(VirtualWorld world, Random random, Consumer<String> watch) {
            this.world = world;
            this.random = random;
            this.watch = watch;
        }

        /** Whether it responds to a machine. */
        boolean responds(Host host) {
            return down == 0 && host.withoutStore == 0;
        }

        boolean create(String key, byte[] content) {
            if (objects.putIfAbsent(key, content.clone()) != null) {
                return false;
            }
            times.put(key, world.instant().plus(ahead));
            watch.accept(key);
            return true;
        }

        void replace(String key, byte[] content) {
            objects.put(key, content.clone());
            times.put(key, world.instant().plus(ahead));
        }

        void delete(String key) {
            objects.remove(key);
            times.remove(key);
        }
    }

    /** The same for a program that lives for a moment: no time passes. */
    static ObjectStore atOnce(Shelf shelf, Host host) {
        return new SimulatedStore(shelf, host, null) {
            @Override
            void request(String what) {
                requireAnswer(what);
            }

            @Override
            public Put put(String key, byte[] content) {
                if (!shelf.responds(host)) {
                    return Put.UNKNOWN;
                }
                requireWritable("write " + key);
                return shelf.create(key, content) ? Put.CREATED : Put.EXISTS;
            }
        };
    }

    private void travel() {
        Random random = shelf.random;
        if (shelf.slow > 0) {
            program.pass(2_000 + random.nextInt(7_000));
        } else if (random.nextInt(6) == 0) {
            program.pass(1 + random.nextInt(400));
        }
    }

    /** On the way there and back it may die. */
    void request(String what) {
        program.point();
        travel();
        if (!shelf.responds(host)) {
            program.pass(1 + shelf.random.nextInt(ATTEMPT));
        }
        requireAnswer(what);
    }

    final void requireAnswer(String what) {
        if (!shelf.responds(host)) {
            throw new StoreException("cannot " + what, "the store does not answer", null);
        }
    }

    final void requireWritable(String what) {
        if (shelf.readOnly > 0) {
            throw new StoreException("cannot " + what, "access is denied", null);
        }
    }

    @Override
    public StoreUrl location() {
        return StoreUrl.parse("s3://simulated/");
    }

    @Override
    public Creation create(String key, Content content) {
        throw new UnsupportedOperationException("no large object is written");
    }

    @Override
    public Put put(String key, byte[] content) {
        program.point();
        travel();
        Random random = shelf.random;
        if (!shelf.responds(host)) {
            program.pass(1 + random.nextInt(ATTEMPT));
            return Put.UNKNOWN;
        }
        requireWritable("write " + key);
        if (shelf.busy > 0 && random.nextInt(4) > 0) {
            return Put.CONFLICT;
        }
        if (shelf.lossy > 0 && random.nextBoolean()) {
            switch (random.nextInt(3)) {
                case 0 -> shelf.create(key, content);
                case 1 -> {
                    byte[] late = content.clone();
                    int delay = random.nextBoolean() ? LATE : ATTEMPT;
                    shelf.world.in(1 + random.nextInt(delay), () -> shelf.create(key, late));
                }
                default -> {
                    // it never comes
                }
            }
            program.pass(1 + random.nextInt(ATTEMPT));
            return Put.UNKNOWN;
        }
        boolean created = shelf.create(key, content);
        program.point();
        travel();
        return created ? Put.CREATED : Put.EXISTS;
    }

    @Override
    public void replace(String key, byte[] content) {
        request("replace " + key);
        requireWritable("replace " + key);
        shelf.replace(key, content);
        program.point();
    }

    @Override
    public Optional<Stored> read(String key, int limit) {
        request("read " + key);
        byte[] content = shelf.objects.get(key);
        if (content == null) {
            return Optional.empty();
        }
        if (content.length > limit) {
            throw new StoreException("cannot read " + key, "it is too large", null);
        }
        return Optional.of(new Stored(content.clone(), shelf.times.get(key)));
    }

    @Override
    public Optional<InputStream> open(String key) {
        request("open " + key);
        return Optional.ofNullable(shelf.objects.get(key)).map(ByteArrayInputStream::new);
    }

    @Override
    public List<StoredObject> list(String prefix) {
        request("list " + prefix);
        List<StoredObject> found = new ArrayList<>();
        for (var object : shelf.objects.tailMap(prefix, true).entrySet()) {
            if (!object.getKey().startsWith(prefix)) {
                break;
            }
            found.add(new StoredObject(
                    object.getKey(), object.getValue().length, shelf.times.get(object.getKey())));
        }
        return found;
    }

    @Override
    public void delete(String key) {
        request("delete " + key);
        requireWritable("delete " + key);
        shelf.delete(key);
    }

    @Override
    public void close() {
        // nothing is open
    }
}
