package io.kjadm.etcd.history;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.kjadm.etcd.EtcdProcesses;
import io.kjadm.etcd.history.Recording.Mark;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Lets clients and a watcher work on a real etcd while something happens to its members, and reads
 * the members' logs then.
 */
public final class Recorder {

    /** So that what the plot has left is seen, too. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(1);

    private final Supplier<List<URI>> endpoints;
    private final Function<URI, ManagedChannel> dial;
    private final long seed;
    private final StoreState begin;
    private int tries;
    private final List<Mark> marks = Collections.synchronizedList(new ArrayList<>());

    /**
     * Of members without TLS.
     *
     * @param endpoints client URLs of the members that serve, asked before each call
     * @param seed      of what the clients ask; their calls overlap as they do
     */
    public Recorder(Supplier<List<URI>> endpoints, long seed) {
        this(endpoints, Recorder::plain, seed);
    }

    /** @param dial makes a connection, again after each failure */
    public Recorder(Supplier<List<URI>> endpoints, Function<URI, ManagedChannel> dial, long seed) {
        this(endpoints, dial, seed, StoreState.NEW);
    }

    private Recorder(
            Supplier<List<URI>> endpoints,
            Function<URI, ManagedChannel> dial,
            long seed,
            StoreState begin) {
        this.endpoints = endpoints;
        this.dial = dial;
        this.seed = seed;
        this.begin = begin;
    }

    /**
     * One for a cluster that was restored, which begins with what it holds now.
     *
     * @param restored client URLs of its members, to which no client writes yet
     */
    public Recorder afterRestore(Supplier<List<URI>> restored) {
        try (KeyValueCalls etcd = new EtcdCalls(restored, dial, 0)) {
            return new Recorder(restored, dial, seed, StoreState.read(etcd));
        }
    }

    /** What the store holds before the clients begin. */
    public StoreState begin() {
        return begin;
    }

    /** {@code -Dkjadm.history.seed}, or any one. */
    public static long anySeed() {
        return Long.getLong("kjadm.history.seed", new SecureRandom().nextInt(1_000_000));
    }

    private static ManagedChannel plain(URI endpoint) {
        return NettyChannelBuilder.forAddress(endpoint.getHost(), endpoint.getPort())
                .usePlaintext()
                .disableRetry()
                .proxyDetector(address -> null)
                .build();
    }

    /** What happens while clients work. */
    public interface Plot {

        /** @throws IOException if a process cannot be started, say */
        void play() throws IOException;
    }

    /** Ends all processes. */
    public interface Ending {

        /** @return the data directories of all members that the cluster has ever had */
        Collection<Path> end() throws IOException;
    }

    /** Does a part of the plot, and notes under that name when it was. */
    public void during(String name, Plot part) throws IOException {
        long from = System.nanoTime();
        part.play();
        marks.add(new Mark(name, from, System.nanoTime()));
    }

    /** Records until the plot has been played, and all its events were received. */
    public Recording record(Plot plot, Ending ending) throws IOException {
        return record(this::calls, plot, ending);
    }

    /** The same of a plot after which there is no quorum: what one member has is all there is. */
    public Recording recordLoss(Plot plot, Ending ending) throws IOException {
        return record(this::calls, plot, ending, true);
    }

    /** A client's way to the members. */
    KeyValueCalls calls(int client) {
        return new EtcdCalls(endpoints, dial, client);
    }

    Recording record(IntFunction<KeyValueCalls> calls, Plot plot, Ending ending)
            throws IOException {
        return record(calls, plot, ending, false);
    }

    private Recording record(
            IntFunction<KeyValueCalls> calls, Plot plot, Ending ending, boolean serializable)
            throws IOException {
        long start = System.nanoTime();
        List<Operation> history;
        WatchLog watched;
        double seconds;
        boolean restored = begin.revision() > StoreState.NEW.revision();
        try (Watcher watcher = Watcher.start(endpoints, dial, begin.revision() + 1);
                HistoryClients clients = HistoryClients.start(seed, restored ? "w" : "v", calls)) {
            plot.play();
            Pause.of(AFTERWARDS);
            history = clients.stop();
            seconds = (System.nanoTime() - start) / 1e9;
            long last = serializable ? revision() : lastWrite();
            EtcdProcesses.until("events up to revision " + last, () -> watcher.has(last));
            watched = watcher.stop();
        }
        List<MemberLog> logs = new ArrayList<>();
        for (Path dataDir : ending.end()) {
            logs.add(MemberLog.read(dataDir));
        }
        return new Recording(
                seed,
                begin,
                seconds,
                history,
                watched,
                Replay.of(begin, logs, known(history, watched)),
                List.copyOf(marks));
    }

    /** Revisions of the store before writes, by their marks. */
    private static Map<String, Long> known(List<Operation> history, WatchLog watched) {
        Map<String, Long> known = new HashMap<>();
        watched.events()
                .forEach(event ->
                        event.value().ifPresent(value -> known.put(value, event.revision() - 1)));
        history.stream()
                .filter(operation -> operation.request().writes())
                .forEach(write -> write.response()
                        .ifPresent(response -> known.put(
                                write.request().mark(),
                                response.revision() - (response.changed() ? 1 : 0))));
        return known;
    }

    /** A write after those of the clients: others may raise the store's revision further. */
    private long lastWrite() {
        List<Response> answers = new ArrayList<>();
        try (KeyValueCalls etcd = calls(0)) {
            EtcdProcesses.until("an answer to the last write", () -> {
                tries++;
                String number = begin.revision() + "-" + tries;
                etcd.call(new Request.Put(
                                HistoryClients.PREFIX + "last-" + number, "last" + number))
                        .ifPresent(answers::add);
                return !answers.isEmpty();
            });
        }
        return answers.getLast().revision();
    }

    /** Of the store, by a member that may have no quorum. */
    private long revision() {
        try (KeyValueCalls etcd = calls(0)) {
            List<Long> revision = new ArrayList<>();
            EtcdProcesses.until("the revision", () -> {
                Optional<Response> answer = etcd.call(new Request.Get(HistoryClients.PREFIX, true));
                answer.map(Response::revision).ifPresent(revision::add);
                return answer.isPresent();
            });
            return revision.getLast();
        }
    }
}
