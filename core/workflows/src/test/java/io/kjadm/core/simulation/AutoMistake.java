package io.kjadm.core.simulation;

import io.kjadm.etcd.EtcdConnector;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.StoreUrl;

import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Deliberate mistakes; each of them breaks a promise. */
enum AutoMistake implements Supplier<AutoTampering> {

    /** A put that the store was too busy for is taken for one whose object is there. */
    CONFLICT_IS_CREATED(160, new AutoTampering() {
        @Override
        ObjectStore store(ObjectStore real, Host host) {
            return new ForwardingStore(real) {
                @Override
                public Put put(String key, byte[] content) {
                    Put put = super.put(key, content);
                    return put == Put.CONFLICT ? Put.CREATED : put;
                }
            };
        }
    }),

    /** Whoever puts an object replaces one that is there. */
    PUTS_REPLACE(54, new AutoTampering() {
        @Override
        ObjectStore store(ObjectStore real, Host host) {
            return new ForwardingStore(real) {
                @Override
                public Put put(String key, byte[] content) {
                    if (super.put(key, content) == Put.EXISTS) {
                        super.replace(key, content);
                    }
                    return Put.CREATED;
                }
            };
        }
    }),

    /** A machine says that its member is stopped for good, and it is not. */
    NOT_STOPPED(1, new AutoTampering() {
        @Override
        boolean stops() {
            return false;
        }
    }),

    /** Changes of members leave without a look at the log. */
    NO_GUARD(141, new AutoTampering() {
        @Override
        EtcdConnector guarded(EtcdConnector real, EtcdConnector guarded) {
            return real;
        }
    }),

    /** etcd starts wherever its data directory is. */
    NO_START_CHECK(1, new AutoTampering() {
        @Override
        boolean checksStart() {
            return false;
        }
    });

    /** From there on a schedule that shows it is near. */
    final long first;

    private final AutoTampering tampering;

    AutoMistake(long first, AutoTampering tampering) {
        this.first = first;
        this.tampering = tampering;
    }

    @Override
    public AutoTampering get() {
        return tampering;
    }

    /** A store of which something is done otherwise. */
    private abstract static class ForwardingStore implements ObjectStore {
        private final ObjectStore real;

        ForwardingStore(ObjectStore real) {
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
}
