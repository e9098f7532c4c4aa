package io.kjadm.e2e.cluster;

import io.grpc.StatusRuntimeException;
import io.kjadm.e2e.lab.Node;

import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Writes one numbered etcd key after another on a node, and notes when each was acknowledged and
 * which failed; meanwhile the last acknowledged key is read back, linearizably. What it shows is
 * that the cluster stayed writable, and kept what it acknowledged, while something else went wrong.
 */
public final class Writer implements AutoCloseable {
    private static final int USUAL_RATE = 10;
    private static final Duration CONNECTING = Duration.ofSeconds(60);
    private static final Duration READING_INTERVAL = Duration.ofMillis(250);

    private final String prefix = "/kjadm-e2e/writer-" + Long.toHexString(System.nanoTime()) + "/";
    private final EtcdClient etcd;
    private final List<Writes.Acknowledged> acknowledged = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private int missed;
    private volatile boolean stopped;

    private Writer(Node node) {
        etcd = EtcdClient.to(node);
    }

    /** Starts writing ten keys a second through the member of {@code node}. */
    public static Writer on(Node node) {
        return on(node, USUAL_RATE);
    }

    /**
     * Starts writing through the member of {@code node}, one key after another, and no more of them
     * in a second.
     */
    public static Writer on(Node node, int perSecond) {
        var writer = new Writer(node);
        // the first call makes the connection, which is not what is measured
        Eventually.passes(CONNECTING, () -> writer.etcd.put(writer.prefix + 0, "0"));
        writer.threads.add(Thread.ofVirtual()
                .start(() -> writer.write(Duration.ofSeconds(1).dividedBy(perSecond))));
        writer.threads.add(Thread.ofVirtual().start(writer::read));
        return writer;
    }

    private void write(Duration interval) {
        long next = System.nanoTime();
        for (int number = 1; !stopped; number++) {
            try {
                etcd.put(prefix + number, String.valueOf(number));
                note(number);
            } catch (StatusRuntimeException e) {
                fail(number, e);
                etcd.reconnect();
            }
            // what was late is not made up for
            next = Math.max(next + interval.toNanos(), System.nanoTime());
            pause(next - System.nanoTime());
        }
    }

    private void read() {
        while (!stopped) {
            pause(READING_INTERVAL.toNanos());
            var last = last();
            try {
                if (last > 0 && !etcd.has(prefix + last)) {
                    miss();
                }
            } catch (StatusRuntimeException e) {
                // no answer is no wrong answer; what keeps reads away keeps writes away, and those
                // are counted
            }
        }
    }

    private synchronized void note(int number) {
        acknowledged.add(new Writes.Acknowledged(number, System.currentTimeMillis()));
    }

    private synchronized void fail(int number, StatusRuntimeException why) {
        if (!stopped) {
            failures.add("%s, number %d: %s".formatted(LocalTime.now(), number, why.getMessage()));
        }
    }

    private synchronized void miss() {
        missed++;
    }

    private synchronized int last() {
        return acknowledged.isEmpty() ? 0 : acknowledged.getLast().number();
    }

    /** All that was written until now. */
    public synchronized Writes writes() {
        return new Writes(acknowledged, failures, missed);
    }

    /**
     * Keys that were acknowledged, and are not there when they are read, linearizably, through
     * another node.
     */
    public List<String> lost(Node reader) {
        // in this order: what is acknowledged between the two has to be there all the more
        var expected = writes().acknowledged().stream()
                .map(write -> prefix + write.number())
                .toList();
        try (var other = EtcdClient.to(reader)) {
            var found = other.keys(prefix);
            return expected.stream().filter(key -> !found.contains(key)).toList();
        }
    }

    private static void pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        stopped = true;
        etcd.close();
    }
}
