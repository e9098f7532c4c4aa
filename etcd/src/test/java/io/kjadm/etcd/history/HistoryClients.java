package io.kjadm.etcd.history;

import io.kjadm.etcd.history.Request.Condition;
import io.kjadm.etcd.history.Request.Condition.Target;
import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Clients that work on a few keys at a steady rate, each one call after the other, and record what
 * they asked and were answered.
 */
final class HistoryClients implements AutoCloseable {

    static final int CLIENTS = 8;
    /** Of all clients together, in a second. */
    static final int RATE = 300;

    private static final int KEYS = 12;
    /** Before every key. */
    static final String PREFIX = "history/";

    /** Of one client, in nanoseconds. */
    private static final long INTERVAL = 1_000_000_000L * CLIENTS / RATE;

    private final List<Thread> threads = new ArrayList<>();
    private final String mark;
    private final List<Client> clients = new ArrayList<>();
    private final AtomicInteger values = new AtomicInteger();
    private volatile boolean on = true;

    private HistoryClients(String mark) {
        this.mark = mark;
    }

    /** All that may exist. */
    static List<String> keys() {
        return IntStream.range(0, KEYS).mapToObj(key -> PREFIX + key).toList();
    }

    /**
     * Starts them.
     *
     * @param seed  of their requests
     * @param mark  that is in everything that they write
     * @param calls of the client of a number
     */
    static HistoryClients start(long seed, String mark, IntFunction<KeyValueCalls> calls) {
        var all = new HistoryClients(mark);
        var seeds = new Random(seed);
        for (int number = 0; number < CLIENTS; number++) {
            Client client = all.new Client(number, calls.apply(number), seeds.nextLong());
            all.clients.add(client);
            all.threads.add(
                    Thread.ofPlatform().name("history-" + number).daemon().start(client));
        }
        return all;
    }

    /** Operations that were recorded so far. */
    int recorded() {
        return clients.stream().mapToInt(Client::recorded).sum();
    }

    /** Sends no more, waits for the last answers, and returns everything. */
    List<Operation> stop() {
        on = false;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return clients.stream().flatMap(client -> client.operations().stream()).toList();
    }

    @Override
    public void close() {
        stop();
        clients.forEach(client -> client.calls.close());
    }

    /** One of them. */
    private final class Client implements Runnable {

        private final int number;
        private final KeyValueCalls calls;
        private final Random random;
        private final List<Operation> operations = new ArrayList<>();

        Client(int number, KeyValueCalls calls, long seed) {
            this.number = number;
            this.calls = calls;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            long next = System.nanoTime() + random.nextLong(INTERVAL);
            Optional<Operation> last = Optional.empty();
            while (on) {
                Pause.until(next);
                // one that was late is not made up for: that would be a burst after each outage
                next = Math.max(next + INTERVAL, System.nanoTime());
                List<Operation> done = operations(last);
                last = Optional.of(done.getFirst());
                add(done);
            }
        }

        /** One, or one for each put of a transaction. */
        private List<Operation> operations(Optional<Operation> last) {
            Request request = request(last);
            long called = System.nanoTime();
            Optional<Response> response = calls.call(request);
            long returned = System.nanoTime();
            List<Request> parts = request instanceof Request.PutWith put
                    ? List.of(put, new Request.PutWith(put.other(), put.value()))
                    : List.of(request);
            return parts.stream()
                    .map(part -> response.map(answer ->
                                    Operation.answered(number, part, called, returned, answer))
                            .orElseGet(() -> Operation.open(number, part, called)))
                    .toList();
        }

        private synchronized void add(List<Operation> done) {
            operations.addAll(done);
        }

        synchronized List<Operation> operations() {
            return List.copyOf(operations);
        }

        synchronized int recorded() {
            return operations.size();
        }

        /** A condition is on what was seen last, so that it holds half of the time. */
        private Request request(Optional<Operation> last) {
            int one = random.nextInt(KEYS);
            int other = (one + 1 + random.nextInt(KEYS - 1)) % KEYS;
            String key = PREFIX + one;
            String value = mark + values.incrementAndGet();
            Optional<Condition> seen = last.flatMap(Client::condition);
            if (seen.isPresent() && random.nextInt(3) > 0) {
                return new Request.PutIf(last.get().key(), seen.get(), value);
            }
            return switch (random.nextInt(20)) {
                case 0, 1, 2, 3, 4, 5, 6 -> new Request.Get(key, false);
                case 7 -> new Request.Get(key, true);
                case 8 -> Request.PutWith.of(key, PREFIX + other, value);
                case 9 -> new Request.Delete(key, value);
                case 10 ->
                    new Request.PutIf(key, new Condition(Target.VERSION, random.nextInt(3)), value);
                default -> new Request.Put(key, value);
            };
        }

        private static Optional<Condition> condition(Operation last) {
            return last.response().map(response -> switch (response) {
                case Read read ->
                    read.found()
                            .map(Found::version)
                            .map(version -> new Condition(Target.VERSION, version))
                            .orElse(new Condition(Target.MOD_REVISION, 0));
                case Written written -> new Condition(Target.MOD_REVISION, written.revision());
                case Response.Deleted ignored -> new Condition(Target.VERSION, 0);
            });
        }
    }
}
