package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.FileMode;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinState;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

class JournalFileTest {

    @TempDir
    Path folder;

    private static JoinEntry entry(JoinState state) {
        boolean known = state.compareTo(JoinState.ADDED) >= 0;
        return new JoinEntry(
                state,
                "run",
                "c0ffee",
                "cp-2",
                URI.create("https://[2001:db8::2]:2380"),
                Instant.parse("2026-02-03T04:05:06.789Z"),
                List.of(new Member(
                        new MemberId(-1),
                        "",
                        List.of(URI.create("https://a:2380"), URI.create("https://b:2380")),
                        List.of(URI.create("https://a:2379"), URI.create("https://b:2379")),
                        true)),
                known ? Optional.of(new MemberId(0x8000000000000001L)) : Optional.empty(),
                known ? Optional.of("0123456789abcdef") : Optional.empty(),
                42,
                state == JoinState.STARTED);
    }

    @Test
    void everyStateIsReadAsItWasWritten() {
        JournalFile journal = new JournalFile(new DiskFiles(), folder);
        for (JoinState state : JoinState.values()) {
            journal.write(entry(state));
            assertEquals(
                    Optional.of(entry(state)), new JournalFile(new DiskFiles(), folder).read());
        }
        journal.clear();
        assertEquals(Optional.empty(), journal.read());
    }

    @Test
    void aJournalOfAnEarlierReleaseNamesNoClientUrls() throws IOException {
        JournalFile journal = new JournalFile(new DiskFiles(), folder);
        journal.write(entry(JoinState.ADDED));
        Path file = folder.resolve("kjadm-etcd-join");
        Files.writeString(
                file, Files.readString(file).replaceAll("(?s),\\s*\"clientUrls\" : \\[[^]]*]", ""));
        assertEquals(List.of(), journal.read().orElseThrow().before().getFirst().clientUrls());
    }

    @Test
    void onlyItsOwnerMayReadIt() throws IOException {
        new JournalFile(new DiskFiles(), folder).write(entry(JoinState.ADDED));
        assertEquals(
                FileMode.OWNER_ONLY.permissions(),
                Files.getPosixFilePermissions(folder.resolve("kjadm-etcd-join")));
        try (var left = Files.list(folder)) {
            assertEquals(1, left.count(), "no temporary file stays");
        }
    }

    @Test
    void tornRecordIsNone() throws IOException {
        JournalFile journal = new JournalFile(new DiskFiles(), folder);
        journal.write(entry(JoinState.MANIFEST));
        Path file = folder.resolve("kjadm-etcd-join");
        String whole = Files.readString(file).strip();
        for (int length = 0; length < whole.length(); length++) {
            Files.writeString(file, whole.substring(0, length));
            assertEquals(Optional.empty(), journal.read(), "the first " + length + " characters");
        }
        Files.writeString(file, whole.replace("MANIFEST", "NO_STATE"));
        assertEquals(Optional.empty(), journal.read());
        Files.write(file, new byte[] {0, (byte) 0xff, 0});
        assertTrue(journal.read().isEmpty());
    }
}
