package io.kjadm.etcd.history;

import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A way to etcd that is at fault now and then, as a proxy or a store might be. */
final class FaultyCalls implements KeyValueCalls {

    /** What it does. */
    enum Fault {
        /** Answers a read with what was read some time ago. */
        OLD_VALUE,
        /** Acknowledges a put that it does not send. */
        DROPPED_WRITE,
        /** Sends a put again some time after it was acknowledged. */
        REPEATED_WRITE
    }

    /** Long against the time of a call, so that others have certainly written since. */
    private static final Duration LATE = Duration.ofMillis(500);

    private static final int EACH = 5;

    private final KeyValueCalls etcd;
    private final Fault fault;
    private final Map<String, Old> reads = new HashMap<>();
    private final Deque<Sent> sent = new ArrayDeque<>();
    private int calls;
    private int faults;

    FaultyCalls(KeyValueCalls etcd, Fault fault) {
        this.etcd = etcd;
        this.fault = fault;
    }

    private record Old(Read read, long at) {}

    private record Sent(Request.Put put, long at) {}

    /** How often it was at fault. */
    int faults() {
        return faults;
    }

    @Override
    public Optional<Response> call(Request request) {
        calls++;
        if (fault == Fault.REPEATED_WRITE
                && !sent.isEmpty()
                && late(sent.getFirst().at())) {
            faults++;
            etcd.call(sent.removeFirst().put());
        }
        if (fault == Fault.DROPPED_WRITE
                && request instanceof Request.Put put
                && calls % EACH == 0) {
            faults++;
            return etcd.call(new Request.Get(put.key(), false))
                    .map(read -> new Written(read.revision() + 1));
        }
        Optional<Response> response = etcd.call(request);
        if (request instanceof Request.Put put && calls % EACH == 0 && response.isPresent()) {
            sent.addLast(new Sent(put, System.nanoTime()));
        }
        if (request instanceof Request.Get get && !get.serializable()) {
            return response.map(answer -> read(get.key(), (Read) answer));
        }
        return response;
    }

    private Response read(String key, Read now) {
        Old old = reads.computeIfAbsent(key, ignored -> new Old(now, System.nanoTime()));
        boolean overwritten = revision(now) > revision(old.read());
        if (fault == Fault.OLD_VALUE && overwritten && late(old.at())) {
            faults++;
            reads.remove(key);
            return old.read();
        }
        return now;
    }

    private static long revision(Read read) {
        return read.found().map(Found::modRevision).orElse(0L);
    }

    private static boolean late(long at) {
        return System.nanoTime() - at > LATE.toNanos();
    }

    @Override
    public void close() {
        etcd.close();
    }
}
