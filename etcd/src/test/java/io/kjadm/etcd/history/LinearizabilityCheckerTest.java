package io.kjadm.etcd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.etcd.history.LinearizabilityChecker.Verdict;
import io.kjadm.etcd.history.Request.Condition;
import io.kjadm.etcd.history.Request.Condition.Target;
import io.kjadm.etcd.history.Request.Delete;
import io.kjadm.etcd.history.Request.Get;
import io.kjadm.etcd.history.Request.Put;
import io.kjadm.etcd.history.Request.PutIf;
import io.kjadm.etcd.history.Response.Deleted;
import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Histories of one key that were made by hand; times are in milliseconds. */
class LinearizabilityCheckerTest {

    private final List<Operation> history = new ArrayList<>();

    private void add(Request request, long called, long returned, Response response) {
        history.add(Operation.answered(
                history.size(), request, called * 1_000_000, returned * 1_000_000, response));
    }

    private void put(String value, long called, long returned, long revision) {
        add(new Put("k", value), called, returned, new Written(revision));
    }

    private void get(
            long called, long returned, long revision, String value, long version, long mod) {
        add(
                new Get("k", false),
                called,
                returned,
                new Read(revision, Optional.of(new Found(value, version, mod))));
    }

    private void open(Request request, long called) {
        history.add(Operation.open(history.size(), request, called * 1_000_000));
    }

    private void linearizable() {
        assertInstanceOf(Verdict.Linearizable.class, new LinearizabilityChecker().check(history));
    }

    private Verdict.Violated violated() {
        return assertInstanceOf(
                Verdict.Violated.class, new LinearizabilityChecker().check(history));
    }

    @Test
    void anEmptyHistoryIsLinearizable() {
        linearizable();
    }

    @Test
    void overlappingOperationsMayTakeEffectInAnyOrder() {
        put("a", 0, 10, 3);
        put("b", 0, 10, 2);
        get(5, 6, 2, "b", 1, 2);
        get(11, 12, 3, "a", 2, 3);
        linearizable();
    }

    @Test
    void aDeleteAndAConditionFollowTheModel() {
        put("a", 0, 1, 2);
        add(new Delete("k", "d1"), 2, 3, new Deleted(3, true));
        add(new Delete("k", "d2"), 4, 5, new Deleted(3, false));
        var absent = new Condition(Target.VERSION, 0);
        add(new PutIf("k", absent, "b"), 6, 7, new Written(4));
        add(new PutIf("k", absent, "c"), 8, 9, new Read(4, Optional.of(new Found("b", 1, 4))));
        var known = new Condition(Target.MOD_REVISION, 4);
        add(new PutIf("k", known, "d"), 10, 11, new Written(5));
        get(12, 13, 5, "d", 2, 5);
        linearizable();
    }

    @Test
    void aConditionThatCouldNotHoldIsFound() {
        put("a", 0, 1, 2);
        put("b", 2, 3, 3);
        var old = new Condition(Target.MOD_REVISION, 2);
        add(new PutIf("k", old, "c"), 4, 5, new Written(4));
        violated();
    }

    @Test
    void aConditionThatHeldAndWasRefusedIsFound() {
        put("a", 0, 1, 2);
        add(
                new PutIf("k", new Condition(Target.VERSION, 1), "c"),
                4,
                5,
                new Read(2, Optional.of(new Found("a", 1, 2))));
        violated();
    }

    @Test
    void aStaleReadIsFoundWithWhatIsAroundIt() {
        put("a", 0, 1, 2);
        put("b", 2, 3, 3);
        get(4, 5, 2, "a", 1, 2);
        put("c", 6, 7, 4);
        // the last put, which began later, is not around it
        assertEquals(
                List.of(
                        "key k: no order of the operations explains",
                        "  4.000 to 5.000 ms, client 2: get k: a, version 1 of revision 2,"
                                + " at revision 2",
                        "The key was then: b, version 2 of revision 3. Around it:",
                        "  2.000 to 3.000 ms, client 1: put k = b: written at revision 3"),
                violated().text().lines().toList());
    }

    @Test
    void aLostWriteIsFound() {
        put("a", 0, 1, 2);
        put("b", 2, 3, 3);
        get(4, 5, 3, "a", 1, 2);
        violated();
    }

    @Test
    void aLostWriteBehindAnotherOneIsFoundByTheVersion() {
        put("a", 0, 1, 2);
        put("lost", 2, 3, 3);
        put("c", 4, 5, 4);
        get(6, 7, 4, "c", 2, 4);
        violated();
    }

    @Test
    void aWriteThatIsAppliedTwiceIsFound() {
        put("a", 0, 1, 2);
        put("b", 2, 3, 3);
        get(4, 5, 4, "a", 3, 4);
        violated();
    }

    @Test
    void aWriteThatIsAppliedTwiceAtOnceIsFoundByTheVersion() {
        put("a", 0, 1, 2);
        get(2, 3, 3, "a", 2, 3);
        violated();
    }

    @Test
    void readsThatGoBackAreFound() {
        put("a", 0, 1, 2);
        put("b", 2, 20, 3);
        get(4, 5, 3, "b", 2, 3);
        get(6, 7, 3, "a", 1, 2);
        violated();
    }

    @Test
    void writesInTheOtherOrderThanTheirTimesAreFound() {
        put("a", 0, 1, 3);
        put("b", 2, 3, 2);
        violated();
    }

    @Test
    void aValueThatWasNeverWrittenIsFound() {
        get(0, 1, 2, "a", 1, 2);
        violated();
    }

    @Test
    void anOpenPutMayHaveHappened() {
        put("a", 0, 1, 2);
        open(new Put("k", "b"), 2);
        get(50, 51, 3, "b", 2, 3);
        linearizable();
    }

    @Test
    void anOpenPutMayHappenLateOrNever() {
        put("a", 0, 1, 2);
        open(new Put("k", "b"), 2);
        get(50, 51, 2, "a", 1, 2);
        linearizable();
        get(60, 61, 3, "b", 2, 3);
        linearizable();
    }

    @Test
    void anOpenPutDoesNotHappenTwice() {
        put("a", 0, 1, 2);
        open(new Put("k", "b"), 2);
        get(4, 5, 3, "b", 2, 3);
        put("c", 6, 7, 4);
        get(8, 9, 5, "b", 4, 5);
        violated();
    }

    @Test
    void aResolvedPutMustHaveHappened() {
        put("a", 0, 1, 2);
        history.add(Operation.open(9, new Put("k", "b"), 2_000_000).resolved(new Written(3)));
        put("c", 20, 21, 4);
        get(30, 31, 4, "c", 2, 4);
        violated();
    }

    @Test
    void aResolvedPutMayBeReadAtOnce() {
        put("a", 0, 1, 2);
        history.add(Operation.open(9, new Put("k", "b"), 2_000_000).resolved(new Written(3)));
        get(2, 4, 3, "b", 2, 3);
        linearizable();
    }

    @Test
    void anOpenDeleteAndAnOpenConditionMayHaveHappened() {
        put("a", 0, 1, 2);
        open(new Delete("k", "d"), 2);
        open(new PutIf("k", new Condition(Target.VERSION, 0), "b"), 3);
        get(9, 10, 4, "b", 1, 4);
        linearizable();
    }

    @Test
    void anOpenConditionThatDidNotHoldChangedNothing() {
        put("a", 0, 1, 2);
        open(new PutIf("k", new Condition(Target.VERSION, 7), "b"), 3);
        get(9, 10, 3, "b", 2, 3);
        violated();
    }

    @Test
    void aSerializableReadMayBeOld() {
        put("a", 0, 1, 2);
        put("b", 2, 3, 3);
        add(new Get("k", true), 4, 5, new Read(2, Optional.of(new Found("a", 1, 2))));
        linearizable();
    }

    @Test
    void theFirstKeyThatIsWrongIsNamed() {
        put("a", 0, 1, 2);
        add(new Get("other", false), 4, 5, new Read(2, Optional.of(new Found("x", 1, 2))));
        assertEquals("other", violated().key());
    }

    @Test
    void theLimitIsNoSuccess() {
        for (int i = 0; i < 12; i++) {
            open(new Put("k", "v" + i), 0);
        }
        get(5, 6, 90, "no such", 1, 2);
        Verdict.NotDecided verdict = assertInstanceOf(
                Verdict.NotDecided.class, new LinearizabilityChecker(1_000).check(history));
        assertEquals(1_000, verdict.steps());
    }
}
