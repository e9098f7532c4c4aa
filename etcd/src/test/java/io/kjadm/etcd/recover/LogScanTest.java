package io.kjadm.etcd.recover;

import static io.kjadm.etcd.check.WalFile.bytes;
import static io.kjadm.etcd.check.WalFile.message;
import static io.kjadm.etcd.check.WalFile.number;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;

import io.kjadm.etcd.check.WalFile;
import io.kjadm.etcd.check.WalReader.DamagedException;
import io.kjadm.etcd.recover.LogEvidence.Gap;
import io.kjadm.etcd.recover.LogEvidence.Position;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;

/** How far a log goes, and what a database lacks of it. */
class LogScanTest {

    private static final int STATE = 3;
    private static final int NORMAL = 0;
    private static final int CHANGE_OF_MEMBERS = 1;

    private final WalFile log = new WalFile().startFile(0);

    private WalFile entry(long term, long index, String content) {
        return entry(NORMAL, term, index, content);
    }

    private WalFile entry(long type, long term, long index, String content) {
        return log.record(
                WalFile.ENTRY,
                message()
                        .addField(1, number(type))
                        .addField(2, number(term))
                        .addField(3, number(index))
                        .addField(4, bytes(ByteString.copyFromUtf8(content))));
    }

    private WalFile commit(long term, long index) {
        return log.record(STATE, message().addField(1, number(term)).addField(3, number(index)));
    }

    private LogScan scan(long applied) throws IOException, DamagedException {
        LogScan scan = new LogScan(applied);
        scan.file(new ByteArrayInputStream(log.zeros(64).content()), true);
        return scan;
    }

    @Test
    void theLastStateTellsWhatIsCommitted() throws Exception {
        entry(2, 5, "a");
        commit(2, 4);
        entry(2, 6, "b");
        commit(2, 5);
        entry(2, 7, "c");

        LogScan scan = scan(5);

        assertEquals(new Position(5, 2, 7), scan.position());
        assertEquals(new Gap(0, 2), scan.gap());
    }

    @Test
    void entriesThatTheDatabaseHasNotGotAreCountedIfTheyHaveContent() throws Exception {
        entry(2, 5, "a");
        entry(2, 6, "");
        entry(2, 7, "b");
        entry(2, 8, "c");
        commit(2, 7);

        assertEquals(new Gap(2, 1), scan(4).gap());
        assertEquals(new Gap(1, 1), scan(6).gap());
    }

    @Test
    void aNewLeaderTakesEntriesBack() throws Exception {
        entry(2, 5, "a");
        entry(2, 6, "b");
        entry(2, 7, "c");
        entry(3, 6, "d");
        commit(3, 5);

        LogScan scan = scan(5);

        assertEquals(new Position(5, 3, 6), scan.position());
        assertEquals(new Gap(0, 1), scan.gap());
    }

    @Test
    void aNewLeaderTakesBackEntriesBehindOneThatIsApplied() throws Exception {
        entry(2, 6, "a");
        entry(2, 7, "b");
        entry(3, 5, "c");
        commit(3, 5);

        assertEquals(new Gap(0, 0), scan(5).gap());
    }

    @Test
    void aChangeOfMembersIsNoContent() throws Exception {
        entry(2, 5, "a");
        entry(CHANGE_OF_MEMBERS, 2, 6, "b");
        commit(2, 6);

        assertEquals(new Gap(0, 0), scan(5).gap());
    }

    @Test
    void anOlderSnapshotIsNotTheEndOfTheLog() throws Exception {
        entry(2, 5, "a");
        log.record(WalFile.SNAPSHOT, message().addField(1, number(4)).addField(2, number(1)));

        assertEquals(new Position(4, 2, 5), scan(4).position());
    }

    @Test
    void aSnapshotIsCommitted() throws Exception {
        log.record(WalFile.SNAPSHOT, message().addField(1, number(40)).addField(2, number(7)));

        assertEquals(new Position(40, 7, 40), scan(40).position());
    }

    @Test
    void aFileThatOthersFollowHasNoTornEnd() throws Exception {
        entry(2, 5, "a");
        byte[] torn = Arrays.copyOf(log.content(), log.content().length - 9);
        LogScan scan = new LogScan(0);

        assertThrows(
                DamagedException.class, () -> scan.file(new ByteArrayInputStream(torn), false));
        scan.file(new ByteArrayInputStream(torn), true);
    }
}
