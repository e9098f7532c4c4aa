package io.kjadm.etcd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.history.Replay.Logged;
import io.kjadm.etcd.history.Request.Delete;
import io.kjadm.etcd.history.Request.Put;
import io.kjadm.etcd.history.Request.PutWith;
import io.kjadm.etcd.history.Response.Deleted;
import io.kjadm.etcd.history.Response.Written;
import io.kjadm.etcd.history.WatchLog.Event;
import io.kjadm.etcd.history.WatchLog.Record;
import io.kjadm.etcd.history.WatchLog.Record.Progress;
import io.kjadm.etcd.history.WatchLog.Record.Received;
import io.kjadm.etcd.history.WatchLog.Record.Started;
import io.kjadm.etcd.history.WatchRules.Broken;
import io.kjadm.etcd.history.WatchRules.Promise;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

class WatchRulesTest {

    private static Event put(String key, long revision) {
        return new Event(key, Optional.of("v" + revision), 1, revision);
    }

    private static Received events(Event... events) {
        return new Received(List.of(events));
    }

    private static void assertBroken(Set<Promise> expected, Record... records) {
        List<Broken> broken = WatchRules.check(new WatchLog(Arrays.asList(records)));
        assertEquals(
                expected,
                broken.stream().map(Broken::promise).collect(Collectors.toSet()),
                broken::toString);
    }

    @Test
    void aWatchThatGoesOnAtAnotherMemberIsRight() {
        assertBroken(
                Set.of(),
                new Started(1),
                events(put("a", 2), put("b", 3)),
                events(put("a", 4), put("b", 4)),
                new Progress(4),
                new Started(5),
                // this member is behind the one before
                new Progress(3),
                events(put("a", 6)),
                new Progress(6));
    }

    @Test
    void anEventThatComesLateIsNotOrdered() {
        assertBroken(
                Set.of(Promise.ORDERED), new Started(1), events(put("a", 3)), events(put("b", 2)));
    }

    @Test
    void anEventThatComesTwiceIsNotUnique() {
        assertBroken(
                Set.of(Promise.UNIQUE, Promise.ATOMIC),
                new Started(1),
                events(put("a", 3)),
                events(put("a", 3)));
    }

    @Test
    void aRevisionInTwoResponsesIsNotAtomic() {
        assertBroken(
                Set.of(Promise.ATOMIC), new Started(1), events(put("a", 3)), events(put("b", 3)));
    }

    @Test
    void anEventFromBeforeTheWatchIsNotResumed() {
        assertBroken(Set.of(Promise.RESUMABLE), new Started(5), events(put("a", 4)));
    }

    @Test
    void anEventBehindItsBookmarkIsFound() {
        assertBroken(
                Set.of(Promise.BOOKMARKABLE), new Started(1), new Progress(3), events(put("a", 3)));
    }

    @Test
    void aBookmarkThatGoesBackIsFound() {
        assertBroken(
                Set.of(Promise.BOOKMARKABLE), new Started(1), events(put("a", 3)), new Progress(2));
    }

    private static final List<Operation> WRITES = List.of(
            Operation.answered(1, new Put("a", "v2"), 0, 1, new Written(2)),
            Operation.answered(1, new Delete("a", "d"), 2, 3, new Deleted(3, true)),
            Operation.answered(1, new Put("b", "v4"), 4, 5, new Written(4)));

    private static final Event DELETED = new Event("a", Optional.empty(), 0, 3);

    private static int missing(Record... records) {
        return WatchRules.check(new WatchLog(Arrays.asList(records)), WRITES).size();
    }

    @Test
    void everyWriteBetweenTheFirstAndTheLastEventHasOne() {
        assertEquals(0, missing(new Started(1), events(put("a", 2), DELETED), events(put("b", 4))));
        assertEquals(1, missing(new Started(1), events(put("a", 2)), events(put("b", 4))));
        assertEquals(1, missing(new Started(1), events(DELETED), events(put("b", 4))));
    }

    @Test
    void whatTheWatchDidNotReachYetIsNotMissing() {
        assertEquals(0, missing(new Started(3), events(DELETED)));
        assertEquals(0, missing(new Started(1)));
    }

    @Test
    void bothEventsOfATransactionComeInOneResponse() {
        PutWith one = PutWith.of("a", "b", "v");
        PutWith other = new PutWith("b", one.value());
        List<Operation> writes = List.of(
                Operation.answered(1, one, 0, 1, new Written(2)),
                Operation.answered(1, other, 0, 1, new Written(2)));
        Replay replay = Replay.of(StoreState.NEW, List.of(new Logged(1, one)), List.of(), Set.of());
        Event first = new Event("a", Optional.of(one.value()), 1, 2);
        Event second = new Event("b", Optional.of(one.value()), 1, 2);
        WatchLog whole = new WatchLog(List.of(new Started(1), events(first, second)));
        assertEquals(List.of(), WatchRules.check(whole));
        assertEquals(List.of(), WatchRules.check(whole, writes));
        assertEquals(List.of(), WatchRules.check(whole, replay));
        WatchLog half = new WatchLog(List.of(new Started(1), events(first)));
        assertEquals(1, WatchRules.check(half, writes).size());
        assertEquals(1, WatchRules.check(half, replay).size());
        assertBroken(Set.of(Promise.ATOMIC), new Started(1), events(first), events(second));
    }

    @Test
    void whatWasCompactedBeforeTheWatchCameBackIsNotMissing() {
        assertEquals(
                0,
                missing(new Started(1), events(put("a", 2)), new Started(4), events(put("b", 4))));
        assertEquals(
                1,
                missing(new Started(1), events(put("a", 2)), new Started(3), events(put("b", 4))));
    }

    @Test
    void anEventWithAnotherValueOrKeyIsFound() {
        Event other = new Event("a", Optional.of("x"), 1, 2);
        assertEquals(1, missing(new Started(2), events(other, DELETED)));
        assertEquals(1, missing(new Started(2), events(put("b", 2), DELETED)));
    }
}
