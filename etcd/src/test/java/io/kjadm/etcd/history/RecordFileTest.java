package io.kjadm.etcd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.etcd.history.MemberLog.MemberChange;
import io.kjadm.etcd.history.Recording.Mark;
import io.kjadm.etcd.history.Replay.Logged;
import io.kjadm.etcd.history.Replay.MemberChanged;
import io.kjadm.etcd.history.Request.Condition;
import io.kjadm.etcd.history.Request.Delete;
import io.kjadm.etcd.history.Request.Get;
import io.kjadm.etcd.history.Request.Put;
import io.kjadm.etcd.history.Request.PutIf;
import io.kjadm.etcd.history.Request.PutWith;
import io.kjadm.etcd.history.Response.Deleted;
import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;
import io.kjadm.etcd.history.WatchLog.Event;
import io.kjadm.etcd.history.WatchLog.Record;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class RecordFileTest {

    @TempDir
    Path folder;

    @Test
    void whatIsReadIsWhatWasWritten() throws IOException {
        Put put = new Put("a", "v1");
        PutIf putIf = new PutIf("a", new Condition(Condition.Target.MOD_REVISION, 2), "v2");
        Delete delete = new Delete("a", "v3");
        PutWith both = PutWith.of("a", "b", "v5");
        Put undecided = new Put("b", "v4");
        Found found = new Found("v1", 1, 2);
        Recording recording = new Recording(
                7,
                StoreState.NEW,
                1.5,
                List.of(
                        Operation.answered(1, put, 0, 10, new Written(2)),
                        Operation.answered(
                                2, new Get("a", true), 5, 20, new Read(2, Optional.of(found))),
                        Operation.answered(
                                2, new Get("b", false), 25, 30, new Read(2, Optional.empty())),
                        Operation.answered(3, delete, 40, 50, new Deleted(4, true)),
                        Operation.open(1, putIf, 20),
                        Operation.open(5, new PutWith("b", both.value()), 20),
                        Operation.open(4, undecided, 30)),
                new WatchLog(List.of(
                        new Record.Started(1),
                        new Record.Received(List.of(new Event("a", Optional.of("v1"), 1, 2))),
                        new Record.Progress(2),
                        new Record.Received(List.of(
                                new Event("a", Optional.of("v2"), 2, 3),
                                new Event("a", Optional.empty(), 0, 4))),
                        new Record.Received(List.of(
                                new Event("a", Optional.of(both.value()), 1, 5),
                                new Event("b", Optional.of(both.value()), 1, 5))))),
                Replay.of(
                        StoreState.NEW,
                        List.of(
                                new Logged(1, put),
                                new Logged(2, putIf),
                                new Logged(3, delete),
                                new Logged(4, both)),
                        List.of(new MemberChanged(3, MemberChange.LEARNER)),
                        Set.of("v4")),
                List.of(new Mark("replace the leader", 3, 35)));
        Path file = folder.resolve("some").resolve("record");

        RecordFile.write(recording, file);
        Recording read = RecordFile.read(file);

        assertEquals(recording.seed(), read.seed());
        assertEquals(recording.seconds(), read.seconds());
        assertEquals(recording.history(), read.history());
        assertEquals(recording.watched(), read.watched());
        assertEquals(recording.resolved(), read.resolved());
        assertEquals(recording.marks(), read.marks());
        assertEquals(recording.replay().memberChanges(), read.replay().memberChanges());
        assertEquals(recording.replay().changes(), read.replay().changes());
        assertEquals(List.of(), read.violations());
    }
}
