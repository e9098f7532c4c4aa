package io.kjadm.etcd.history;

import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.history.LinearizabilityChecker.Verdict;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What was recorded of a cluster, and the logs of its members, held against every rule.
 *
 * @param seed     of what the clients asked
 * @param begin    what the store held before
 * @param seconds  how long the clients worked
 * @param resolved the history with what the logs say of open operations
 * @param marks    what was done to the cluster
 */
public record Recording(
        long seed,
        StoreState begin,
        double seconds,
        List<Operation> history,
        WatchLog watched,
        Replay replay,
        List<Operation> resolved,
        List<Mark> marks) {

    private static final int MOST_VIOLATIONS = 5;
    private static final int LEAST = 100;

    Recording(
            long seed,
            StoreState begin,
            double seconds,
            List<Operation> history,
            WatchLog watched,
            Replay replay,
            List<Mark> marks) {
        this(seed, begin, seconds, history, watched, replay, replay.resolve(history), marks);
    }

    /**
     * Something that was done to the cluster.
     *
     * @param from nanoseconds of the clients' clock
     * @param to   the same
     */
    public record Mark(String name, long from, long to) {}

    Verdict verdict() {
        return new LinearizabilityChecker().check(resolved, begin);
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

    /**
     * Holds it against every rule, and adds a line to the summary. A record that breaks one is kept.
     *
     * @param operation what was done to the cluster, for the summary
     * @throws AssertionError if a rule is broken; it shows the operations around, and the record
     */
    public void requireRight(String operation, EtcdBinary etcd) throws IOException {
        requireRight(operation, etcd.version());
    }

    /** The same of members that this machine cannot run. */
    public void requireRight(String operation, EtcdVersion etcd) throws IOException {
        requireRight(operation, etcd, HistorySummary.FOLDER, System.out);
    }

    /** When something was done to the cluster. */
    public Mark mark(String name) {
        return marks.stream()
                .filter(mark -> mark.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    void requireRight(String operation, EtcdVersion etcd, Path folder, PrintStream out)
            throws IOException {
        List<String> broken = broken();
        var summary = HistorySummary.of(operation, etcd, this, broken.size());
        summary.addTo(folder);
        out.println("[history] " + summary.text());
        Path record = folder.resolve(
                        "%s-%s-%d.record".formatted(operation.replaceAll("[ ,]+", "-"), etcd, seed))
                .toAbsolutePath();
        if (!broken.isEmpty() || Boolean.getBoolean("kjadm.history.keep")) {
            RecordFile.write(this, record);
        }
        if (!broken.isEmpty()) {
            throw new AssertionError("%s: %d rules are broken, see %s%n%s"
                    .formatted(operation, broken.size(), record, text(broken)));
        }
    }

    /** What breaks a rule, in words, the search for an order first. */
    List<String> broken() {
        List<String> broken = new ArrayList<>();
        switch (verdict()) {
            case Verdict.Linearizable ignored -> {}
            case Verdict.Violated violated -> broken.add(violated.text());
            case Verdict.NotDecided notDecided -> broken.add(notDecided.toString());
        }
        broken.addAll(violations());
        // nothing is right because nothing was asked
        if (history.size() < LEAST || watched.events().size() < LEAST) {
            broken.add("the clients did too little: %d operations, %d events"
                    .formatted(history.size(), watched.events().size()));
        }
        return broken;
    }

    /** The first of what is broken. */
    static String text(List<String> broken) {
        return broken.stream().limit(MOST_VIOLATIONS).collect(Collectors.joining("\n"));
    }
}
