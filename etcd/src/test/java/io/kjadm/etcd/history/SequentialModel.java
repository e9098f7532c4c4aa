package io.kjadm.etcd.history;

import io.kjadm.etcd.history.Request.Condition;
import io.kjadm.etcd.history.Request.Condition.Target;
import io.kjadm.etcd.history.Response.Deleted;
import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Makes histories that are right: each operation takes effect in a store at one moment, around which
 * its call and its return lie. Some have no answer, and of these some had no effect.
 */
final class SequentialModel {

    private static final int CLIENTS = 5;
    private static final int LONGEST = 40;

    private final Random random;
    private final Map<String, Found> store = new HashMap<>();
    private final int keys;
    private long revision = 1;
    private int writes;
    private Fault fault = Fault.NONE;
    private Request.Put first;

    SequentialModel(long seed, int keys) {
        this.random = new Random(seed);
        this.keys = keys;
    }

    /** What the store does wrong, once, in the middle of the history. */
    enum Fault {
        NONE,
        /** A put is acknowledged and has no effect. */
        LOST_WRITE,
        /** The first put takes effect again, long after it was acknowledged. */
        REPEATED_WRITE
    }

    SequentialModel with(Fault one) {
        fault = one;
        return this;
    }

    /** When an operation is called, takes effect and returns. */
    private record Moments(int client, long called, long effect, long returned) {}

    List<Operation> history(int operations, int openPercent) {
        List<Moments> moments = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            long at = 0;
            for (int i = 0; i < operations / CLIENTS; i++) {
                long called = at + random.nextInt(1, LONGEST);
                long effect = called + random.nextInt(LONGEST);
                at = effect + random.nextInt(LONGEST);
                moments.add(new Moments(client, called, effect, at));
            }
        }
        moments.sort(Comparator.comparingLong(Moments::effect));
        List<Operation> history = new ArrayList<>();
        for (Moments each : moments) {
            Request request = request();
            boolean middle = history.size() > moments.size() / 3;
            if (middle && fault == Fault.REPEATED_WRITE) {
                put(first.key(), first.value());
                fault = Fault.NONE;
            }
            if (middle && fault == Fault.LOST_WRITE && request instanceof Request.Put) {
                revision++;
                history.add(Operation.answered(
                        each.client(),
                        request,
                        each.called(),
                        each.returned(),
                        new Written(revision)));
                fault = Fault.NONE;
                continue;
            }
            boolean open = random.nextInt(100) < openPercent;
            if (open && random.nextBoolean()) {
                history.add(Operation.open(each.client(), request, each.called()));
                continue;
            }
            Response response = apply(request);
            history.add(
                    open
                            ? Operation.open(each.client(), request, each.called())
                            : Operation.answered(
                                    each.client(),
                                    request,
                                    each.called(),
                                    each.returned(),
                                    response));
        }
        return history;
    }

    private Request request() {
        String key = "k" + random.nextInt(keys);
        Optional<Found> now = Optional.ofNullable(store.get(key));
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> new Request.Get(key, false);
            case 4, 5, 6 -> new Request.Put(key, "v" + ++writes);
            case 7 -> new Request.Delete(key, "d" + ++writes);
            case 8 ->
                new Request.PutIf(
                        key,
                        new Condition(
                                Target.VERSION,
                                now.map(Found::version).orElse(0L) + random.nextInt(2)),
                        "v" + ++writes);
            default ->
                new Request.PutIf(
                        key,
                        new Condition(
                                Target.MOD_REVISION, now.map(Found::modRevision).orElse(0L)),
                        "v" + ++writes);
        };
    }

    private Response apply(Request request) {
        Found now = store.get(request.key());
        return switch (request) {
            case Request.Get ignored -> new Read(revision, Optional.ofNullable(now));
            case Request.Put put -> {
                first = first == null ? put : first;
                yield put(put.key(), put.value());
            }
            case Request.PutWith put ->
                throw new IllegalArgumentException("of one key only: " + put);
            case Request.Delete ignored -> {
                boolean existed = store.remove(request.key()) != null;
                revision += existed ? 1 : 0;
                yield new Deleted(revision, existed);
            }
            case Request.PutIf put -> {
                long number = now == null
                        ? 0
                        : put.condition().target() == Target.VERSION
                                ? now.version()
                                : now.modRevision();
                yield number == put.condition().number()
                        ? put(put.key(), put.value())
                        : new Read(revision, Optional.ofNullable(now));
            }
        };
    }

    private Response put(String key, String value) {
        revision++;
        long version = store.containsKey(key) ? store.get(key).version() + 1 : 1;
        store.put(key, new Found(value, version, revision));
        return new Written(revision);
    }
}
