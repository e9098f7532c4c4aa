package io.kjadm.etcd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.history.Request.Delete;
import io.kjadm.etcd.history.Request.Get;
import io.kjadm.etcd.history.Request.Put;
import io.kjadm.etcd.history.Request.PutWith;
import io.kjadm.etcd.history.Response.Deleted;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class RevisionOrderTest {

    private final List<Operation> history = new ArrayList<>();

    private void put(String key, long called, long returned, long revision) {
        history.add(Operation.answered(
                1, new Put(key, "v" + revision), called, returned, new Written(revision)));
    }

    private void get(String key, boolean serializable, long called, long returned, long revision) {
        history.add(Operation.answered(
                2,
                new Get(key, serializable),
                called,
                returned,
                new Read(revision, Optional.empty())));
    }

    private void assertViolations(int count) {
        List<String> found = RevisionOrder.violations(history);
        assertEquals(count, found.size(), found::toString);
    }

    @Test
    void overlappingWritesMayHaveAnyOrder() {
        put("a", 0, 10, 3);
        put("b", 1, 11, 2);
        put("c", 11, 12, 4);
        get("a", false, 13, 14, 4);
        assertViolations(0);
    }

    @Test
    void aLaterWriteWithALowerRevisionIsFoundAcrossKeys() {
        put("a", 0, 10, 3);
        put("b", 11, 12, 2);
        assertViolations(1);
    }

    @Test
    void aLinearizableReadBelowAnAcknowledgedWriteIsFound() {
        put("a", 0, 10, 3);
        get("b", false, 11, 12, 2);
        assertViolations(1);
        get("b", true, 13, 14, 2);
        assertViolations(1);
    }

    @Test
    void aWriteBelowAReadIsFound() {
        get("a", false, 0, 1, 7);
        put("b", 2, 3, 7);
        assertViolations(1);
    }

    @Test
    void aDeleteOfNothingMakesNoRevision() {
        put("a", 0, 1, 2);
        history.add(Operation.answered(1, new Delete("b", "d"), 2, 3, new Deleted(2, false)));
        assertViolations(0);
    }

    @Test
    void aRevisionThatIsUsedTwiceIsFound() {
        put("a", 0, 10, 3);
        put("b", 1, 11, 3);
        assertEquals(
                List.of(String.join(
                        System.lineSeparator(),
                        "one revision for two writes:",
                        "  0.000 to 0.000 ms, client 1: put a = v3: written at revision 3",
                        "  0.000 to 0.000 ms, client 1: put b = v3: written at revision 3")),
                RevisionOrder.violations(history));
    }

    @Test
    void bothPutsOfATransactionHaveOneRevision() {
        PutWith one = PutWith.of("a", "b", "v3");
        PutWith other = new PutWith("b", one.value());
        history.add(Operation.answered(1, one, 0, 10, new Written(3)));
        history.add(Operation.answered(1, other, 0, 10, new Written(3)));
        assertViolations(0);
        put("c", 0, 10, 3);
        assertViolations(1);
    }

    @Test
    void anOpenWriteThatWasResolvedHoldsNobodyUp() {
        history.add(Operation.open(1, new Put("a", "x"), 0).resolved(new Written(9)));
        put("b", 5, 6, 2);
        put("c", 7, 8, 3);
        assertViolations(0);
    }
}
