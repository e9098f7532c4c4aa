package io.kjadm.etcd.history;

import io.kjadm.etcd.history.Response.Found;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A restored store holds a prefix of the history, up to a revision not above that of the snapshot,
 * and every write that was acknowledged before the snapshot was begun. No revision is used for a
 * second write afterwards: a client that watches would miss it.
 */
public final class PrefixRules {

    private PrefixRules() {}

    /**
     * A snapshot that was taken while clients wrote.
     *
     * @param begun    nanoseconds of the clients' clock
     * @param revision of the store in it
     */
    public record Snapshot(long begun, long revision) {}

    /**
     * What contradicts that, in words.
     *
     * @param before   until the members were lost
     * @param restored before any client wrote again
     * @param after    from then on
     */
    public static List<String> violations(
            Recording before, Snapshot snapshot, StoreState restored, Recording after) {
        List<String> found = new ArrayList<>();
        Optional<Long> prefix = prefix(before.replay(), snapshot.revision(), restored);
        if (prefix.isEmpty()) {
            found.add("what was restored was at no time up to revision %d what the store held: %s"
                    .formatted(
                            snapshot.revision(),
                            differences(before.replay(), snapshot.revision(), restored)));
        }
        long start =
                before.history().stream().mapToLong(Operation::called).min().orElse(0);
        Map<Long, Operation> used = new HashMap<>();
        for (Operation write : before.resolved()) {
            if (!write.changed()) {
                continue;
            }
            used.put(revision(write), write);
            if (write.returned() < snapshot.begun()
                    && prefix.filter(last -> last < revision(write)).isPresent()) {
                found.add("lost, although it was acknowledged before the snapshot:%n  %s"
                        .formatted(write.describe(start)));
            }
        }
        for (Operation write : after.resolved()) {
            Operation other = write.changed() ? used.get(revision(write)) : null;
            if (other != null) {
                found.add("one revision before and after the restore:%n  %s%n  %s"
                        .formatted(other.describe(start), write.describe(start)));
            }
        }
        return found;
    }

    /** The last revision up to a limit at which the keys were as restored. */
    private static Optional<Long> prefix(Replay replay, long limit, StoreState restored) {
        for (long revision = Math.min(limit, replay.revision()); revision > 0; revision--) {
            if (replay.state(revision).equals(restored.keys())) {
                return Optional.of(revision);
            }
        }
        return Optional.empty();
    }

    private static List<String> differences(Replay replay, long revision, StoreState restored) {
        Map<String, Found> then = replay.state(revision);
        Set<String> keys = new TreeSet<>(then.keySet());
        keys.addAll(restored.keys().keySet());
        return keys.stream()
                .filter(key -> !restored.of(key).equals(Optional.ofNullable(then.get(key))))
                .map(key -> "%s is %s instead of %s"
                        .formatted(
                                key,
                                restored.of(key).map(Found::toString).orElse("absent"),
                                Optional.ofNullable(then.get(key))
                                        .map(Found::toString)
                                        .orElse("absent")))
                .toList();
    }

    private static long revision(Operation write) {
        return write.response().orElseThrow().revision();
    }
}
