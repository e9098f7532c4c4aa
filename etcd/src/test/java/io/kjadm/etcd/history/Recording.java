package io.kjadm.etcd.history;

import io.kjadm.etcd.history.LinearizabilityChecker.Verdict;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What was recorded of a cluster, and the logs of its members, held against every rule.
 *
 * @param seconds how long the clients worked
 * @param resolved the history with what the logs say of open operations
 */
record Recording(
        double seconds,
        List<Operation> history,
        WatchLog watched,
        Replay replay,
        List<Operation> resolved) {

    Recording(double seconds, List<Operation> history, WatchLog watched, Replay replay) {
        this(seconds, history, watched, replay, replay.resolve(history));
    }

    Verdict verdict() {
        return new LinearizabilityChecker().check(resolved);
    }

    /** What the other rules find. */
    List<String> violations() {
        List<String> found = new ArrayList<>(RevisionOrder.violations(resolved));
        found.addAll(replay.violations(resolved));
        Stream.of(
                        WatchRules.check(watched),
                        WatchRules.check(watched, resolved),
                        WatchRules.check(watched, replay))
                .flatMap(List::stream)
                .map(WatchRules.Broken::toString)
                .forEach(found::add);
        return found;
    }

    /** Writes without an answer. */
    static long open(List<Operation> history) {
        return history.stream()
                .filter(Operation::open)
                .filter(operation -> operation.request().writes())
                .count();
    }

    /** Of the last write that is known. */
    static long lastRevision(List<Operation> history) {
        return history.stream()
                .filter(Operation::changed)
                .mapToLong(write -> write.response().orElseThrow().revision())
                .max()
                .orElse(0);
    }

    /** In one line. */
    String summary(Verdict verdict, int violations) {
        long open = open(history);
        return "%d operations in %.1f s (%d open, %d resolved), %d events over %d watches, %d checker steps, %d violations"
                .formatted(
                        history.size(),
                        seconds,
                        open,
                        open - open(resolved),
                        watched.events().size(),
                        watched.records().stream()
                                .filter(WatchLog.Record.Started.class::isInstance)
                                .count(),
                        verdict.steps(),
                        violations);
    }
}
