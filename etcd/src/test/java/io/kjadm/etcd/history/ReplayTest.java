package io.kjadm.etcd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.etcd.history.Request.Condition;
import io.kjadm.etcd.history.Request.Condition.Target;
import io.kjadm.etcd.history.Request.Delete;
import io.kjadm.etcd.history.Request.Get;
import io.kjadm.etcd.history.Request.Put;
import io.kjadm.etcd.history.Request.PutIf;
import io.kjadm.etcd.history.Request.PutWith;
import io.kjadm.etcd.history.Response.Deleted;
import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the members' logs tell of a history. */
class ReplayTest {

    private static final String KEY = HistoryClients.PREFIX + "k";
    private static final String OTHER = HistoryClients.PREFIX + "l";
    private static final Put FIRST = new Put(KEY, "v1");
    private static final Put SECOND = new Put(KEY, "v2");

    @TempDir
    Path folder;

    /** Revisions that clients know. */
    private final Map<String, Long> known = new HashMap<>();

    private Replay replay(WrittenMemberLog... logs) throws IOException {
        List<MemberLog> read = new ArrayList<>();
        for (WrittenMemberLog log : logs) {
            read.add(log.in(folder.resolve("cp-" + read.size())));
        }
        return Replay.of(StoreState.NEW, read, known);
    }

    private static WrittenMemberLog log(Request... committed) {
        var log = new WrittenMemberLog();
        for (Request request : committed) {
            log.write(request);
        }
        return log.commit();
    }

    private static Operation open(Request request) {
        return Operation.open(1, request, 0);
    }

    private static Operation answered(Request request, Response response) {
        return Operation.answered(1, request, 0, 1, response);
    }

    private static int violations(Replay replay, Operation... history) {
        return replay.violations(List.of(history)).size();
    }

    @Test
    void anOpenWriteInTheLogHappenedAndOneInNoLogDidNot() throws Exception {
        Operation happened = open(FIRST);
        assertEquals(
                List.of(happened.resolved(new Written(2))),
                replay(log(FIRST)).resolve(List.of(happened, open(SECOND))));
    }

    @Test
    void anOpenWriteThatIsNotKnownToBeCommittedStaysOpen() throws Exception {
        Operation open = open(SECOND);
        assertEquals(List.of(open), replay(log(FIRST).write(SECOND)).resolve(List.of(open)));
    }

    /** It is in the log, and was refused when it was applied; a delete is not. */
    @Test
    void aWriteUnderAnAlarmDidNotHappen() throws Exception {
        Operation refused = open(SECOND);
        Operation conditional = open(new PutIf(KEY, new Condition(Target.VERSION, 1), "v3"));
        Operation deleted = open(new Delete(KEY, "v4"));
        Operation afterwards = open(new Put(OTHER, "v5"));
        WrittenMemberLog log = log(FIRST)
                .alarm(1, true)
                .alarm(2, true)
                .write(refused.request())
                .alarm(1, false)
                .write(conditional.request())
                .write(deleted.request())
                .alarm(2, false)
                .write(afterwards.request())
                .commit();

        assertEquals(
                List.of(
                        deleted.resolved(new Deleted(3, true)),
                        afterwards.resolved(new Written(4))),
                replay(log).resolve(List.of(refused, conditional, deleted, afterwards)));
    }

    @Test
    void oneMemberThatKnowsOfTheCommitIsEnough() throws Exception {
        Operation happened = open(SECOND);
        assertEquals(
                List.of(happened.resolved(new Written(3))),
                replay(log(FIRST).write(SECOND), log(FIRST, SECOND)).resolve(List.of(happened)));
    }

    @Test
    void anEntryThatANewLeaderReplacedNeverHappened() throws Exception {
        WrittenMemberLog log = log(FIRST).write(SECOND).newLeaderFrom(1);
        log.write(new Put(KEY, "v3")).commit();
        assertEquals(List.of(), replay(log).resolve(List.of(open(SECOND))));
    }

    @Test
    void deletesAndConditionsAreReplayed() throws Exception {
        Delete delete = new Delete(KEY, "d1");
        PutIf absent = new PutIf(KEY, new Condition(Target.VERSION, 0), "v2");
        PutIf old = new PutIf(KEY, new Condition(Target.MOD_REVISION, 2), "v3");
        Replay replay = replay(log(FIRST, delete, absent, old));
        assertEquals(
                0,
                violations(
                        replay,
                        answered(FIRST, new Written(2)),
                        answered(delete, new Deleted(3, true)),
                        answered(absent, new Written(4)),
                        answered(old, new Read(4, Optional.of(new Found("v2", 1, 4))))));
        assertEquals(1, violations(replay, answered(old, new Written(5))));
        assertEquals(4, replay.revision());
    }

    @Test
    void bothPutsOfATransactionHaveOneRevision() throws Exception {
        PutWith one = PutWith.of(KEY, OTHER, "v2");
        PutWith other = new PutWith(OTHER, one.value());
        Replay replay = replay(log(FIRST, one));
        assertEquals(3, replay.revision());
        assertEquals(Optional.of(new Found(one.value(), 2, 3)), replay.at(KEY, 3));
        assertEquals(Optional.of(new Found(one.value(), 1, 3)), replay.at(OTHER, 3));
        assertEquals(
                List.of(open(one).resolved(new Written(3)), open(other).resolved(new Written(3))),
                replay.resolve(List.of(open(one), open(other))));
        assertEquals(
                0,
                violations(replay, answered(one, new Written(3)), answered(other, new Written(3))));
        assertEquals(1, violations(replay, answered(other, new Written(4))));
    }

    @Test
    void whatOthersWriteMakesRevisionsThatClientsTell() throws Exception {
        WrittenMemberLog log =
                log(FIRST, new Put("kjadm/lock", "a"), new Delete("kjadm/lock", "b"));
        log.write(SECOND).commit();
        known.put("v2", 4L);
        Replay replay = replay(log);
        assertEquals(
                0,
                violations(
                        replay, answered(FIRST, new Written(2)), answered(SECOND, new Written(5))));
        assertEquals(1, violations(replay, answered(SECOND, new Written(4))));
        known.put("v2", 5L);
        // two entries of others made three revisions
        assertEquals(1, violations(replay(log), answered(SECOND, new Written(6))));
    }

    @Test
    void whatAMemberPublishesIsNoWrite() throws Exception {
        var log = new WrittenMemberLog();
        assertEquals(
                0,
                violations(
                        replay(log.publish().write(FIRST).commit()),
                        answered(FIRST, new Written(2))));
    }

    @Test
    void anAcknowledgedWriteInNoLogIsFound() throws Exception {
        assertEquals(1, violations(replay(log(FIRST)), answered(SECOND, new Written(3))));
    }

    @Test
    void aWriteThatIsTwiceInTheLogIsFound() throws Exception {
        assertEquals(1, violations(replay(log(FIRST, FIRST))));
    }

    @Test
    void aSerializableReadMayBeOldButNotWrong() throws Exception {
        Replay replay = replay(log(FIRST, SECOND));
        Get get = new Get(KEY, true);
        assertEquals(
                0,
                violations(
                        replay,
                        answered(get, new Read(1, Optional.empty())),
                        answered(get, new Read(2, Optional.of(new Found("v1", 1, 2)))),
                        answered(get, new Read(3, Optional.of(new Found("v2", 2, 3))))));
        assertEquals(
                2,
                violations(
                        replay,
                        answered(get, new Read(3, Optional.of(new Found("v1", 1, 2)))),
                        answered(get, new Read(4, Optional.of(new Found("v2", 2, 3))))));
    }

    @Test
    void membersThatDifferInACommittedEntryAreFound() throws Exception {
        assertEquals(1, violations(replay(log(FIRST), log(SECOND))));
    }

    @Test
    void aLogThatBeginsLaterIsNoReplay() {
        var late = new WrittenMemberLog().newLeaderFrom(5).write(FIRST).commit();
        var failure = assertThrows(IllegalStateException.class, () -> replay(late));
        assertEquals(
                "the logs do not go back to the first entry: 1 entries up to 6",
                failure.getMessage());
    }
}
