package io.kjadm.core.etcd.ca;

import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdValues;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A client that writes all the time, over a new connection after some writes. A write fails if no
 * member takes it for some seconds: what was on its way to one that ends, or that hands over
 * leadership, a client sends again.
 */
public final class Writing implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Supplier<EtcdValues> connections;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicInteger written = new AtomicInteger();
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final Thread thread;

    /** @param connections with what proves the client just then */
    public Writing(Supplier<EtcdValues> connections) {
        this.connections = connections;
        this.thread = Thread.ofPlatform().start(this::write);
    }

    private void write() {
        Instant since = Instant.now();
        while (!ended.get()) {
            try (EtcdValues values = connections.get()) {
                for (int i = 0; i < 5 && !ended.get(); i++) {
                    values.write("/writer/" + i, String.valueOf(written.get()));
                    written.incrementAndGet();
                    since = Instant.now();
                }
            } catch (EtcdCallException e) {
                if (since.plus(LIMIT).isBefore(Instant.now())) {
                    failures.add(e.getMessage());
                }
            }
        }
    }

    public int written() {
        return written.get();
    }

    public List<String> failures() {
        return List.copyOf(failures);
    }

    @Override
    public void close() {
        ended.set(true);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
