package io.kjadm.etcd.history;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Looks for an order of the operations that explains every answer: each operation takes effect at
 * one moment between its call and its return. Keys are looked at one by one, as an order of each is
 * an order of all (Herlihy and Wing). The search is that of Wing and Gong with the memory of Lowe
 * ("Testing for Linearizability", 2017), as in porcupine: what was tried is a set of operations and
 * the state after them, and none is tried twice. {@link RevisionOrder} looks across the keys.
 */
final class LinearizabilityChecker {

    /** More than any history of a test has needed; a limit, as the search is exponential. */
    static final long STEPS = 1_000_000;

    private final long limit;

    LinearizabilityChecker() {
        this(STEPS);
    }

    /** @param limit so many operations are tried for one key */
    LinearizabilityChecker(long limit) {
        this.limit = limit;
    }

    /** What came of it. */
    sealed interface Verdict {

        /** Operations that were tried. */
        long steps();

        /** Every answer can be explained. */
        record Linearizable(long steps) implements Verdict {}

        /** The answers of a key cannot be. */
        record Violated(String key, String text, long steps) implements Verdict {}

        /** The limit was reached: no test may take that for a success. */
        record NotDecided(String key, long steps) implements Verdict {}
    }

    /** Of a cluster that was just created. */
    Verdict check(List<Operation> history) {
        return check(history, StoreState.NEW);
    }

    /**
     * Serializable reads are left out.
     *
     * @param begin what the store held before
     */
    Verdict check(List<Operation> history, StoreState begin) {
        Map<String, List<Operation>> byKey = history.stream()
                .filter(Operation::linearizable)
                .filter(operation -> operation.request().writes() || !operation.open())
                .collect(Collectors.groupingBy(Operation::key, TreeMap::new, Collectors.toList()));
        long start = history.stream().mapToLong(Operation::called).min().orElse(0);
        long steps = 0;
        for (Map.Entry<String, List<Operation>> each : byKey.entrySet()) {
            Search search = new Search(
                    each.getValue(), new KeyState(begin.of(each.getKey()), begin.revision()));
            Outcome outcome = search.run(limit);
            steps += search.steps;
            switch (outcome) {
                case FOUND -> {}
                case NONE -> {
                    return new Verdict.Violated(each.getKey(), search.describe(start), steps);
                }
                case LIMIT -> {
                    return new Verdict.NotDecided(each.getKey(), steps);
                }
            }
        }
        return new Verdict.Linearizable(steps);
    }

    private enum Outcome {
        FOUND,
        NONE,
        LIMIT
    }

    /** Some operations that took effect, and what they left. */
    private record Configuration(BitSet done, KeyState state) {}

    /** The call or the return of an operation, in a list from which both can be taken. */
    private static final class Event {

        private final int operation;
        private final boolean call;
        private final long time;
        /** Its place among all of them. */
        private int place;

        private Event previous;
        private Event next;

        Event(int operation, boolean call, long time) {
            this.operation = operation;
            this.call = call;
            this.time = time;
        }

        void takeOut() {
            previous.next = next;
            if (next != null) {
                next.previous = previous;
            }
        }

        void putBack() {
            previous.next = this;
            if (next != null) {
                next.previous = this;
            }
        }
    }

    /** An operation that takes effect, and what was before. */
    private record Step(Event call, KeyState before) {}

    /** The search in the operations of one key. */
    private static final class Search {

        private final List<Operation> operations;
        private final KeyState begin;
        private final Event head = new Event(-1, true, Long.MIN_VALUE);
        private final Event[] returns;
        /** Operations that have to take effect and have not. */
        private int due;

        private final BitSet done = new BitSet();
        private final Set<Configuration> tried = new HashSet<>();
        private final List<Step> path = new ArrayList<>();
        private long steps;
        /** The latest return before which its operation could not take effect, ever. */
        private Event blocked = head;

        private final Set<KeyState> statesThere = new LinkedHashSet<>();

        Search(List<Operation> operations, KeyState begin) {
            this.operations = operations;
            this.begin = begin;
            this.returns = new Event[operations.size()];
            List<Event> events = new ArrayList<>();
            for (int i = 0; i < operations.size(); i++) {
                Operation operation = operations.get(i);
                events.add(new Event(i, true, operation.called()));
                if (!operation.open()) {
                    returns[i] = new Event(i, false, operation.returned());
                    events.add(returns[i]);
                    due++;
                }
            }
            // at one moment calls come first: then the operations overlap
            events.sort(Comparator.<Event>comparingLong(event -> event.time)
                    .thenComparing(event -> !event.call));
            Event last = head;
            for (Event event : events) {
                event.place = last.place + 1;
                event.previous = last;
                last.next = event;
                last = event;
            }
        }

        Outcome run(long limit) {
            KeyState state = begin;
            Event event = head.next;
            while (due > 0) {
                if (event.call) {
                    if (steps == limit) {
                        return Outcome.LIMIT;
                    }
                    steps++;
                    Operation operation = operations.get(event.operation);
                    KeyState next = state.after(operation.request(), operation.response())
                            .orElse(null);
                    if (next != null && isNew(event.operation, next)) {
                        path.add(new Step(event, state));
                        state = next;
                        take(event);
                        event = head.next;
                    } else {
                        event = event.next;
                    }
                } else {
                    note(event, state);
                    if (path.isEmpty()) {
                        return Outcome.NONE;
                    }
                    Step last = path.removeLast();
                    state = last.before();
                    event = last.call();
                    giveBack(event);
                    event = event.next;
                }
            }
            return Outcome.FOUND;
        }

        private boolean isNew(int operation, KeyState next) {
            BitSet with = (BitSet) done.clone();
            with.set(operation);
            return tried.add(new Configuration(with, next));
        }

        private void take(Event call) {
            done.set(call.operation);
            call.takeOut();
            if (returns[call.operation] != null) {
                returns[call.operation].takeOut();
                due--;
            }
        }

        private void giveBack(Event call) {
            done.clear(call.operation);
            if (returns[call.operation] != null) {
                returns[call.operation].putBack();
                due++;
            }
            call.putBack();
        }

        private void note(Event returned, KeyState state) {
            if (returned.place > blocked.place) {
                blocked = returned;
                statesThere.clear();
            }
            if (returned.place == blocked.place) {
                statesThere.add(state);
            }
        }

        /**
         * Up to the return that no order reaches, the operations cannot be explained; without that
         * one they can. They are shown from the last write on that was certainly before it.
         */
        String describe(long start) {
            Operation culprit = operations.get(blocked.operation);
            long from = operations.stream()
                    .filter(operation ->
                            operation.changed() && operation.returned() < culprit.called())
                    .mapToLong(Operation::called)
                    .max()
                    .orElse(culprit.called());
            String states = statesThere.stream()
                    .limit(MOST_STATES)
                    .map(KeyState::toString)
                    .collect(Collectors.joining("; or: "));
            List<Operation> around = operations.stream()
                    .filter(operation -> operation != culprit)
                    .filter(operation -> operation.returned() >= from
                            && operation.called() <= culprit.returned())
                    .sorted(Comparator.comparingLong(Operation::called))
                    .toList();
            String others = around.stream()
                    .skip(Math.max(0, around.size() - MOST_OPERATIONS))
                    .map(operation -> "\n  " + operation.describe(start))
                    .collect(Collectors.joining());
            return "key %s: no order of the operations explains%n  %s%nThe key was then: %s. Around it:%s"
                    .formatted(
                            culprit.key(),
                            culprit.describe(start),
                            states,
                            others.isEmpty() ? " nothing" : others);
        }
    }

    private static final int MOST_STATES = 4;
    private static final int MOST_OPERATIONS = 16;
}
