package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SnapshotBytes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class SnapshotSaverTest {

    private final SimulatedCluster etcd = SimulatedCluster.ofVoters(1, "3.6.14");
    private final SnapshotSaver saver =
            new SnapshotSaver(new DiskFiles(), new RecordingReporter(), "snapshot");

    @TempDir
    Path folder;

    @Test
    void aSnapshotTakesItsPlaceWhenAllOfItHasCome() {
        Path file = folder.resolve("etcd-snapshot.db");

        saver.save(etcd, etcd.members().getFirst(), List.of(), file);

        assertTrue(Files.exists(file));
        assertFalse(Files.exists(folder.resolve("etcd-snapshot.db.part")));
    }

    /** Every Secret is in the part. */
    @Test
    void anErrorWhileItComesLeavesNothing() {
        Forwarding failing = new Forwarding(etcd) {
            @Override
            public void snapshot(URI clientUrl, OutputStream into) throws IOException {
                into.write(SnapshotBytes.atRevision(102), 0, 5000);
                throw new OutOfMemoryError("in a test");
            }
        };

        assertThrows(
                OutOfMemoryError.class,
                () -> saver.save(
                        failing,
                        etcd.members().getFirst(),
                        List.of(),
                        folder.resolve("etcd-snapshot.db")));

        assertFalse(Files.exists(folder.resolve("etcd-snapshot.db.part")));
    }
}
