package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.WalFile;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A data directory tells whose it is until its member has left. */
class MemberMarkerTest {

    private static final Path DATA_DIR = Path.of("/var/lib/etcd");
    private static final Instant NOW = Instant.parse("2026-11-26T03:00:00Z");

    private final MemoryFiles files = new MemoryFiles();

    private Optional<MemberMarker> marker() {
        return MemberMarker.read(files, DATA_DIR);
    }

    @Test
    void itNamesTheMemberWhoseDataAreThereAndGoesWithThem() {
        files.with("/etc/machine-id", "0123\n")
                .with(
                        DATA_DIR + "/member/wal/0.wal",
                        WalFile.of(new MemberIds("c1", new MemberId(0xa1))));

        MemberMarker.adopt(files, DATA_DIR, NOW);

        MemberMarker first = new MemberMarker("a1", "c1", "0123", NOW);
        assertEquals(Optional.of(first), marker());
        MemberMarker.adopt(files, DATA_DIR, NOW.plusSeconds(60));
        assertEquals(Optional.of(first), marker());

        new DataDirBackup(files, DATA_DIR).setAside("removed", NOW);
        assertEquals(Optional.empty(), marker());
    }

    @Test
    void withoutDataThereIsNone() {
        MemberMarker.adopt(files, DATA_DIR, NOW);

        assertEquals(Optional.empty(), marker());
    }

    /** A join is not refused for the marker of a member that was lost. */
    @Test
    void aDirectoryWithNothingElseIsEmpty() {
        MemberMarker.write(files, DATA_DIR, new MemberId(0xa1), "c1", NOW);

        assertInstanceOf(DataDirectory.Empty.class, new DataDirReader(files).read(DATA_DIR));
        assertTrue(marker().isPresent());
    }

    /** It is written again where anything of it has changed; else its time is the first one. */
    @Test
    void aMarkerOfAnotherMemberClusterOrMachineIsReplaced() {
        MemberIds ids = new MemberIds("c1", new MemberId(0xa1));
        files.with("/etc/machine-id", "0123\n");
        for (MemberMarker other : List.of(
                new MemberMarker("a2", "c1", "0123", NOW),
                new MemberMarker("a1", "c2", "0123", NOW),
                new MemberMarker("a1", "c1", "4567", NOW))) {
            files.with("/etc/machine-id", other.machineId());
            MemberMarker.write(
                    files,
                    DATA_DIR,
                    MemberId.parse(other.memberId()),
                    other.clusterId(),
                    other.created());
            files.with("/etc/machine-id", "0123\n");
            assertEquals(Optional.of(other), marker());
            assertFalse(MemberMarker.tells(files, DATA_DIR, ids));

            MemberMarker.write(files, DATA_DIR, ids.memberId(), "c1", NOW.plusSeconds(1));

            assertEquals(
                    Optional.of(new MemberMarker("a1", "c1", "0123", NOW.plusSeconds(1))),
                    marker());
            assertTrue(MemberMarker.tells(files, DATA_DIR, ids));
        }
    }

    @Test
    void aMemberWhoseIdIsNotKnownIsNotNamed() {
        MemberMarker.write(files, DATA_DIR, MemberId.NONE, "", NOW);

        assertEquals(Optional.of(new MemberMarker("", "", "", NOW)), marker());
    }

    /** The directory belongs to etcd's account. */
    @Test
    void aFileThatIsTooLargeIsNoMarker() {
        MemberMarker.write(files, DATA_DIR, new MemberId(0xa1), "c1", NOW);
        String file = DATA_DIR + "/" + MemberMarker.FILE_NAME;
        String text = files.text(file);
        files.with(file, text + " ".repeat(4096 - text.length()));
        assertTrue(marker().isPresent());
        files.with(file, text + " ".repeat(4097 - text.length()));
        assertEquals(Optional.empty(), marker());
    }
}
