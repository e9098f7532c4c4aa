package io.kjadm.core.snapshot.drill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** What killed drills leave, on a real disk. */
class DrillFoldersTest {

    private static final byte[] ID = {0, 1, 2, 3, 4, 5, 6, 7};

    private final HostFiles files = new DiskFiles();
    private final VirtualWaiter clock = new VirtualWaiter();
    private final RecordingReporter out = new RecordingReporter();

    @TempDir
    Path ground;

    private Path leftOver(Instant made) throws IOException {
        Path work = Files.createDirectories(DrillFolders.path(ground, ID));
        Files.createDirectories(work.resolve("data/member"));
        Files.writeString(work.resolve("snapshot.db"), "every Secret");
        Files.writeString(work.resolve("lock"), "");
        Files.setLastModifiedTime(work, FileTime.from(made));
        return work;
    }

    private Instant longAgo() {
        return clock.now().minus(Duration.ofHours(1));
    }

    private void remove() {
        new DrillFolders(files, ground, clock, out).removeLeftOvers();
    }

    @Test
    void whatAKilledRunLeftIsRemoved() throws IOException {
        Path work = leftOver(longAgo());
        Path other = Files.createDirectories(ground.resolve("kjadm-drill-of-mine"));

        remove();

        assertFalse(Files.exists(work));
        assertTrue(Files.exists(other));
        assertTrue(out.text().contains(work.toString()), out::text);
    }

    @Test
    void itsEtcdIsEnded() throws Exception {
        Path work = leftOver(longAgo());
        Process etcd = running(work);
        Process other = running(ground.resolve("kjadm-drill-0000000000000000"));
        try {
            remove();

            assertTrue(etcd.waitFor(1, TimeUnit.MINUTES));
            assertTrue(other.isAlive());
        } finally {
            etcd.destroyForcibly();
            other.destroyForcibly();
        }
    }

    private static Process running(Path work) throws IOException {
        return new ProcessBuilder(
                        "sh",
                        "-c",
                        "while :; do sleep 1; done",
                        "etcd",
                        "--data-dir=" + work.resolve("data"))
                .start();
    }

    @Test
    void oneThatRunsStays() throws IOException {
        Path work = leftOver(longAgo());
        try (Claim _ = DrillFolders.claim(files, work)) {
            Files.setLastModifiedTime(work, FileTime.from(longAgo()));
            remove();
        }
        assertTrue(Files.exists(work.resolve("snapshot.db")));
    }

    /** It is locked in the next moment. */
    @Test
    void oneThatWasJustMadeStays() throws IOException {
        Path work = leftOver(clock.now());
        remove();
        assertTrue(Files.exists(work));
    }

    @Test
    void aLinkIsNotFollowed() throws IOException {
        Path target = Files.createDirectories(ground.resolve("target"));
        Files.writeString(target.resolve("file"), "");
        Files.setLastModifiedTime(target, FileTime.from(longAgo()));
        Path link = Files.createSymbolicLink(DrillFolders.path(ground, ID), target);

        remove();

        assertTrue(Files.isSymbolicLink(link));
        assertEquals(1, target.toFile().list().length);
    }
}
