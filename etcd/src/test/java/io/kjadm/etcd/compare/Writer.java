package io.kjadm.etcd.compare;

import com.google.protobuf.ByteString;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Sends numbered writes at a steady rate, whether or not those before were answered, and notes when
 * each was acknowledged and how many were not within their time-out.
 */
public final class Writer implements AutoCloseable {

    static final Duration TIME_OUT = Duration.ofSeconds(2);
    private static final String PREFIX = "written/";
    private static final ByteString VALUE = ByteString.copyFromUtf8("v".repeat(64));
    /** One connection takes hundreds of writes a second; more connections are as many clients. */
    private static final int RATE_PER_CLIENT = 125;

    private final List<Client> clients;
    private final long interval;
    private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();
    private final AtomicInteger failed = new AtomicInteger();
    private final ExecutorService writes = Executors.newVirtualThreadPerTaskExecutor();
    private final Thread pace;
    private volatile boolean on = true;

    /** @param rate in a second */
    public Writer(List<URI> endpoints, int rate) {
        int count = Math.ceilDiv(rate, RATE_PER_CLIENT);
        clients = IntStream.range(0, count)
                .mapToObj(ignored -> new Client(endpoints))
                .toList();
        interval = Duration.ofSeconds(1).toNanos() / rate;
        pace = Thread.ofPlatform().daemon().start(this::send);
    }

    private void send() {
        long next = System.nanoTime();
        for (int number = 0; on; number++) {
            int current = number;
            writes.execute(() -> write(current));
            next += interval;
            long left = next - System.nanoTime();
            if (left > 0) {
                Pauses.sleep(Duration.ofNanos(left));
            }
        }
    }

    private void write(int number) {
        String key = PREFIX + number;
        if (clients.get(number % clients.size()).put(key, VALUE, TIME_OUT)) {
            acknowledged.put(key, System.nanoTime());
        } else {
            failed.incrementAndGet();
        }
    }

    @Override
    public void close() {
        end();
    }

    /** Sends no more and waits for what is under way; what was counted can be read then. */
    public void end() {
        on = false;
        try {
            pace.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        writes.close();
        clients.forEach(Client::close);
    }

    /** Of all. */
    public int acknowledged() {
        return acknowledged.size();
    }

    /** Between two moments of {@link System#nanoTime}. */
    int acknowledged(long from, long to) {
        return (int) acknowledged.values().stream()
                .filter(at -> at >= from && at <= to)
                .count();
    }

    /** That were not acknowledged in time. */
    public int failed() {
        return failed.get();
    }

    /** Between two moments of {@link System#nanoTime}. */
    public Gap longestGap(long from, long to) {
        return Gap.longest(List.copyOf(acknowledged.values()), from, to);
    }

    /** How many of the acknowledged writes a linearizable read does not find. */
    public int lost(Client reader) {
        Set<String> found = reader.keys(PREFIX, Duration.ofSeconds(30));
        return (int) acknowledged.keySet().stream()
                .filter(key -> !found.contains(key))
                .count();
    }
}
