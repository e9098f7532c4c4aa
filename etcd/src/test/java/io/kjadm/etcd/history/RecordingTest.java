package io.kjadm.etcd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.history.Replay.Logged;
import io.kjadm.etcd.history.Request.Get;
import io.kjadm.etcd.history.Request.Put;
import io.kjadm.etcd.history.Response.Found;
import io.kjadm.etcd.history.Response.Read;
import io.kjadm.etcd.history.Response.Written;
import io.kjadm.etcd.history.WatchLog.Event;
import io.kjadm.etcd.history.WatchLog.Record;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What a test says of a recording, and what it leaves. */
class RecordingTest {

    private static final EtcdVersion ETCD = EtcdVersion.parse("3.5.30");
    private static final int WRITES = 200;
    /** In nanoseconds, from call to call. */
    private static final long STEP = 1_000_000;

    @TempDir
    Path folder;

    /** One key is written again and again; in the end it is read. */
    private static Recording recording(long readRevision) {
        List<Operation> history = new ArrayList<>();
        List<Logged> committed = new ArrayList<>();
        List<Record> watched = new ArrayList<>(List.of(new Record.Started(1)));
        for (int i = 1; i <= WRITES; i++) {
            Put put = new Put("a", "v" + i);
            long revision = i + 1L;
            history.add(Operation.answered(
                    1, put, i * STEP, i * STEP + STEP / 2, new Written(revision)));
            committed.add(new Logged(i, put));
            watched.add(new Record.Received(
                    List.of(new Event("a", Optional.of("v" + i), i, revision))));
        }
        long version = readRevision - 1;
        history.add(Operation.answered(
                2,
                new Get("a", false),
                (WRITES + 1) * STEP,
                (WRITES + 2) * STEP,
                new Read(
                        readRevision,
                        Optional.of(new Found("v" + version, version, readRevision)))));
        return new Recording(
                4,
                StoreState.NEW,
                1,
                history,
                new WatchLog(watched),
                Replay.of(StoreState.NEW, committed, List.of(), Set.of()),
                List.of());
    }

    private void require(Recording recording) throws IOException {
        recording.requireRight(
                "replace a voter", ETCD, folder, new PrintStream(OutputStream.nullOutputStream()));
    }

    private List<String> summary() throws IOException {
        return Files.readAllLines(folder.resolve("summary.tsv"));
    }

    @Test
    void aRightOneIsALineOfTheSummary() throws IOException {
        require(recording(WRITES + 1));
        require(recording(WRITES + 1));
        assertEquals(
                List.of(
                        "operation\tetcd\thistories\toperations\tviolations\topen\tresolved\tseconds\tseed",
                        "replace a voter\t3.5.30\t1\t201\t0\t0\t0\t1.0\t4",
                        "replace a voter\t3.5.30\t1\t201\t0\t0\t0\t1.0\t4"),
                summary());
        try (var files = Files.list(folder)) {
            assertEquals(1, files.count());
        }
    }

    @Test
    void aBrokenOneShowsTheOperationsAroundAndIsKept() throws IOException {
        AssertionError error = assertThrows(AssertionError.class, () -> require(recording(WRITES)));
        assertEquals("2", summary().getLast().split("\t")[4]);
        Path record = folder.resolve("replace-a-voter-3.5.30-4.record");
        String write = "199.000 to 199.500 ms, client 1: put a = v200: written at revision 201";
        String read = "200.000 to 201.000 ms, client 2: get a: v199, version 199 of revision 200,"
                + " at revision 200";
        // small: of two hundred writes, the last one
        assertEquals(
                List.of(
                        "replace a voter: 2 rules are broken, see " + record.toAbsolutePath(),
                        "key a: no order of the operations explains",
                        "  " + read,
                        "The key was then: v200, version 200 of revision 201. Around it:",
                        "  " + write,
                        "the revision goes back:",
                        "  " + write,
                        "  " + read),
                error.getMessage().lines().toList());
        assertEquals(recording(WRITES).broken(), RecordFile.read(record).broken());
    }
}
