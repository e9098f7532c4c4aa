package io.kjadm.core.auto;

import com.fasterxml.jackson.core.JsonProcessingException;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.JournalJson;
import io.kjadm.etcd.auto.MachineId;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * What a disk says of itself, in a small file in etcd's data directory.
 *
 * @param id      of the disk, random
 * @param uid     of the cluster file
 * @param machine whose disk it is
 */
record DiskMarker(String id, String uid, MachineId machine, Instant created) {

    private static final Path FILE = Path.of(DataDirReader.DISK_MARKER);

    /**
     * The directory belongs to etcd's account: no link in it is followed.
     *
     * @return empty if there is none, or it is cut
     * @throws HostException if it cannot be read: it may be another machine's
     */
    static Optional<DiskMarker> read(HostFiles files, Path dataDir) {
        Optional<byte[]> bytes = files.readBelow(dataDir, FILE);
        try {
            return bytes.isEmpty()
                    ? Optional.empty()
                    : Optional.of(JournalJson.read(
                            JournalJson.parse(new String(bytes.get(), StandardCharsets.UTF_8)),
                            DiskMarker.class));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    void write(HostFiles files, Path dataDir) {
        files.writeHere(
                dataDir.resolve(FILE),
                JournalJson.text(JournalJson.tree(this)).getBytes(StandardCharsets.UTF_8),
                FileMode.OWNER_ONLY);
    }
}
