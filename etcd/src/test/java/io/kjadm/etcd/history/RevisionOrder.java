package io.kjadm.etcd.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * One pass over all keys: revisions go up in real time. A write that was called after an answer was
 * returned has a higher revision than the answer; what was read then is at no lower one; and no
 * revision is used for two writes.
 */
final class RevisionOrder {

    private RevisionOrder() {}

    /** What contradicts that, in words. */
    static List<String> violations(List<Operation> history) {
        List<String> found = new ArrayList<>();
        long start = history.stream().mapToLong(Operation::called).min().orElse(0);
        List<Operation> byCall = history.stream()
                .filter(Operation::linearizable)
                .filter(operation -> !operation.open())
                .sorted(Comparator.comparingLong(Operation::called))
                .toList();
        found.addAll(usedTwice(byCall, start));
        var pending = new PriorityQueue<Operation>(Comparator.comparingLong(Operation::returned));
        Operation latest = null;
        for (Operation operation : byCall) {
            while (!pending.isEmpty() && pending.peek().returned() < operation.called()) {
                Operation returned = pending.poll();
                if (latest == null || revision(returned) > revision(latest)) {
                    latest = returned;
                }
            }
            if (latest != null && !mayFollow(operation, latest)) {
                found.add("the revision goes back:%n  %s%n  %s"
                        .formatted(latest.describe(start), operation.describe(start)));
            }
            if (operation.acknowledged()) {
                pending.add(operation);
            }
        }
        return found;
    }

    private static boolean mayFollow(Operation operation, Operation earlier) {
        return operation.changed()
                ? revision(operation) > revision(earlier)
                : revision(operation) >= revision(earlier);
    }

    private static List<String> usedTwice(List<Operation> history, long start) {
        List<String> found = new ArrayList<>();
        Map<Long, Operation> writes = new HashMap<>();
        for (Operation operation : history) {
            if (operation.changed()) {
                Operation other = writes.putIfAbsent(revision(operation), operation);
                if (other != null && !operation.request().with(other.request())) {
                    found.add("one revision for two writes:%n  %s%n  %s"
                            .formatted(other.describe(start), operation.describe(start)));
                }
            }
        }
        return found;
    }

    private static long revision(Operation operation) {
        return operation.response().orElseThrow().revision();
    }
}
