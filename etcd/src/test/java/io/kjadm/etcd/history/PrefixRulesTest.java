package io.kjadm.etcd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.history.Replay.Logged;
import io.kjadm.etcd.history.Request.Delete;
import io.kjadm.etcd.history.Request.Put;
import io.kjadm.etcd.history.Response.Deleted;
import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Written;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Four writes, at revisions 2 to 5; the snapshot was begun when two of them had been acknowledged. */
class PrefixRulesTest {

    private static final Put FIRST = new Put("a", "v1");
    private static final Put SECOND = new Put("b", "v2");
    private static final Delete THIRD = new Delete("a", "v3");
    private static final Put FOURTH = new Put("b", "v4");

    private static final Recording BEFORE = recording(
            StoreState.NEW,
            List.of(FIRST, SECOND, THIRD, FOURTH),
            Operation.answered(1, FIRST, 0, 10, new Written(2)),
            Operation.answered(1, SECOND, 20, 30, new Written(3)),
            Operation.answered(1, THIRD, 40, 50, new Deleted(4, true)),
            Operation.answered(1, FOURTH, 60, 70, new Written(5)));

    private static final Found A = new Found("v1", 1, 2);
    private static final Found B = new Found("v2", 1, 3);

    /** Of a member that held one more write than was acknowledged. */
    private static final PrefixRules.Snapshot SNAPSHOT = new PrefixRules.Snapshot(35, 4);

    private static Recording recording(
            StoreState begin, List<Request> committed, Operation... history) {
        return new Recording(
                1,
                begin,
                1,
                Arrays.asList(history),
                new WatchLog(List.of()),
                Replay.of(
                        begin,
                        IntStream.range(0, committed.size())
                                .mapToObj(i -> new Logged(begin.revision() + i, committed.get(i)))
                                .toList(),
                        List.of(),
                        Set.of()),
                List.of());
    }

    private static Recording after(long revision) {
        Put put = new Put("a", "w1");
        return recording(
                new StoreState(revision - 1, Map.of()),
                List.of(put),
                Operation.answered(1, put, 100, 110, new Written(revision)));
    }

    private static void assertViolations(int count, StoreState restored, Recording after) {
        List<String> found = PrefixRules.violations(BEFORE, SNAPSHOT, restored, after);
        assertEquals(count, found.size(), found::toString);
    }

    @Test
    void whatTheSnapshotHeldIsRight() {
        assertViolations(0, new StoreState(1004, Map.of("b", B)), after(1005));
    }

    @Test
    void anEarlierPrefixIsRightIfNothingAcknowledgedIsLost() {
        assertViolations(0, new StoreState(1003, Map.of("a", A, "b", B)), after(1005));
        assertViolations(1, new StoreState(1002, Map.of("a", A)), after(1005));
        assertViolations(2, new StoreState(1001, Map.of()), after(1005));
    }

    @Test
    void whatNeverWasSoIsFound() {
        // the delete without the put before it
        assertViolations(1, new StoreState(1004, Map.of("b", new Found("v2", 2, 3))), after(1005));
        assertViolations(
                1, new StoreState(1004, Map.of("a", A, "b", new Found("v4", 2, 5))), after(1005));
    }

    @Test
    void aPrefixBehindTheSnapshotIsFound() {
        List<String> found = PrefixRules.violations(
                BEFORE,
                SNAPSHOT,
                new StoreState(1005, Map.of("b", new Found("v4", 2, 5))),
                after(1006));
        assertEquals(
                List.of(
                        "what was restored was at no time up to revision 4 what the store held:"
                                + " [b is v4, version 2 of revision 5 instead of v2, version 1 of revision 3]"),
                found);
    }

    @Test
    void aRevisionThatIsUsedAgainIsFound() {
        assertViolations(1, new StoreState(4, Map.of("b", B)), after(5));
        assertViolations(0, new StoreState(4, Map.of("b", B)), after(6));
    }
}
