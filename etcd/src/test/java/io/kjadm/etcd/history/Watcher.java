package io.kjadm.etcd.history;

import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchProgressRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.kjadm.etcd.history.WatchLog.Event;
import io.kjadm.etcd.history.WatchLog.Record;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Watches all keys of a history. When the stream breaks, and now and then without that, it goes on
 * at the next member, from the revision after the last one that it has.
 */
final class Watcher implements AutoCloseable {

    private static final Duration TURN = Duration.ofSeconds(3);
    private static final Duration ASK_PROGRESS = Duration.ofMillis(300);
    private static final Duration AFTER_FAILURE = Duration.ofMillis(100);
    private static final Duration WAIT = Duration.ofMillis(100);
    private static final WatchResponse CANCELED =
            WatchResponse.newBuilder().setCanceled(true).build();

    private final Supplier<List<URI>> endpoints;
    private final Function<URI, ManagedChannel> dial;
    private final List<Record> records = new ArrayList<>();
    private final Thread thread;
    private volatile boolean on = true;
    private long next;
    private int connections;

    private Watcher(Supplier<List<URI>> endpoints, Function<URI, ManagedChannel> dial, long from) {
        this.endpoints = endpoints;
        this.dial = dial;
        this.next = from;
        this.thread = Thread.ofPlatform().name("history-watch").daemon().start(this::run);
    }

    /**
     * Starts it.
     *
     * @param endpoints asked before each connection
     * @param dial      makes it
     * @param from      the first revision
     */
    static Watcher start(
            Supplier<List<URI>> endpoints, Function<URI, ManagedChannel> dial, long from) {
        return new Watcher(endpoints, dial, from);
    }

    /** Whether all events up to a revision were received. */
    boolean has(long revision) {
        synchronized (records) {
            return next > revision;
        }
    }

    /** How often it has connected. */
    int connections() {
        synchronized (records) {
            return connections;
        }
    }

    /** Ends it, and returns what it has received. */
    WatchLog stop() {
        on = false;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (records) {
            return new WatchLog(records);
        }
    }

    @Override
    public void close() {
        stop();
    }

    private void run() {
        for (int number = 0; on; number++) {
            List<URI> serving = endpoints.get();
            if (serving.isEmpty()) {
                Pause.of(AFTER_FAILURE);
                continue;
            }
            ManagedChannel channel = dial.apply(serving.get(number % serving.size()));
            try {
                watch(channel);
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private void watch(ManagedChannel channel) {
        BlockingQueue<WatchResponse> answers = new LinkedBlockingQueue<>();
        StreamObserver<WatchRequest> requests =
                WatchGrpc.newStub(channel).watch(new Answers(answers));
        requests.onNext(create());
        long end = System.nanoTime() + TURN.toNanos();
        long ask = System.nanoTime() + ASK_PROGRESS.toNanos();
        while (on && System.nanoTime() < end) {
            if (System.nanoTime() > ask) {
                requests.onNext(WatchRequest.newBuilder()
                        .setProgressRequest(WatchProgressRequest.getDefaultInstance())
                        .build());
                ask = System.nanoTime() + ASK_PROGRESS.toNanos();
            }
            WatchResponse answer = next(answers);
            if (answer.getCanceled()) {
                skip(answer.getCompactRevision());
                Pause.of(AFTER_FAILURE);
                return;
            }
            note(answer);
        }
    }

    /** One that says nothing if none comes for a while. */
    private static WatchResponse next(BlockingQueue<WatchResponse> answers) {
        try {
            WatchResponse answer = answers.poll(WAIT.toMillis(), TimeUnit.MILLISECONDS);
            return answer == null ? WatchResponse.getDefaultInstance() : answer;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CANCELED;
        }
    }

    /** What was compacted before this has seen it cannot be seen any more. */
    private void skip(long compacted) {
        synchronized (records) {
            next = Math.max(next, compacted);
        }
    }

    private void note(WatchResponse answer) {
        synchronized (records) {
            if (answer.getCreated()) {
                connections++;
                records.add(new Record.Started(next));
            } else if (answer.getEventsCount() > 0) {
                List<Event> events =
                        answer.getEventsList().stream().map(Watcher::event).toList();
                records.add(new Record.Received(events));
                next = Math.max(next, events.getLast().revision() + 1);
            } else if (answer.hasHeader()) {
                records.add(new Record.Progress(answer.getHeader().getRevision()));
            }
        }
    }

    private static Event event(io.etcd.jetcd.api.Event event) {
        KeyValue pair = event.getKv();
        boolean put = event.getType() == io.etcd.jetcd.api.Event.EventType.PUT;
        return new Event(
                pair.getKey().toStringUtf8(),
                put ? Optional.of(pair.getValue().toStringUtf8()) : Optional.empty(),
                pair.getVersion(),
                pair.getModRevision());
    }

    /** Puts them in a queue, at the end one that says that the watch is canceled. */
    private record Answers(BlockingQueue<WatchResponse> queue)
            implements StreamObserver<WatchResponse> {

        @Override
        public void onNext(WatchResponse answer) {
            queue.add(answer);
        }

        @Override
        public void onError(Throwable failure) {
            queue.add(CANCELED);
        }

        @Override
        public void onCompleted() {
            queue.add(CANCELED);
        }
    }

    private WatchRequest create() {
        return WatchRequest.newBuilder()
                .setCreateRequest(WatchCreateRequest.newBuilder()
                        .setKey(EtcdCalls.bytes(HistoryClients.PREFIX))
                        .setRangeEnd(EtcdCalls.bytes(HistoryClients.PREFIX + "~"))
                        .setStartRevision(next)
                        .setProgressNotify(true))
                .build();
    }
}
