package io.kjadm.e2e.cluster;

import io.kjadm.e2e.lab.Node;

import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Writes one numbered key after another, and notes when each was acknowledged and
 * which failed; meanwhile the last acknowledged key is read back, linearizably. What it shows is
 * that the cluster stayed writable, and kept what it acknowledged, while something else went wrong.
 */
public final class Writer implements AutoCloseable {
    private static final int USUAL_RATE = 10;
    private static final Duration CONNECTING = Duration.ofSeconds(60);
    private static final Duration READING_INTERVAL = Duration.ofMillis(250);

    private final String prefix = "/kjadm-e2e/writer-" + Long.toHexString(System.nanoTime()) + "/";
    private final WriteTarget target;
    private final List<Writes.Acknowledged> acknowledged = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private int missed;
    private volatile boolean stopped;

    private Writer(WriteTarget target) {
        this.target = target;
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
        return to(EtcdClient.to(node), perSecond);
    }

    static Writer to(WriteTarget target, int perSecond) {
        var writer = new Writer(target);
        // the first call makes the connection, which is not what is measured
        Eventually.passes(CONNECTING, () -> writer.target.put(writer.prefix + 0, "0"));
        writer.threads.add(Thread.ofVirtual()
                .start(() -> writer.write(Duration.ofSeconds(1).dividedBy(perSecond))));
        writer.threads.add(Thread.ofVirtual().start(writer::read));
        return writer;
    }

    private void write(Duration interval) {
        long next = System.nanoTime();
        for (int number = 1; !stopped; number++) {
            try {
                target.put(prefix + number, String.valueOf(number));
                note(number);
            } catch (RuntimeException e) {
                fail(number, e);
                target.reconnect();
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
                if (last > 0 && !target.has(prefix + last)) {
                    miss();
                }
            } catch (RuntimeException e) {
                // no answer is no wrong answer; what keeps reads away keeps writes away, and those
                // are counted
            }
        }
    }

    private synchronized void note(int number) {
        acknowledged.add(new Writes.Acknowledged(number, System.currentTimeMillis()));
    }

    private synchronized void fail(int number, RuntimeException why) {
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
        return lost(EtcdClient.to(reader));
    }

    /** The same, read through the writer's own way to the cluster. */
    public List<String> lost() {
        return missing(target);
    }

    private List<String> lost(WriteTarget reader) {
        try (reader) {
            return missing(reader);
        }
    }

    private List<String> missing(WriteTarget reader) {
        // in this order: what is acknowledged between the two has to be there all the more
        var expected = writes().acknowledged().stream()
                .map(write -> prefix + write.number())
                .toList();
        var found = reader.keys(prefix);
        return expected.stream().filter(key -> !found.contains(key)).toList();
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
        target.close();
    }
}
