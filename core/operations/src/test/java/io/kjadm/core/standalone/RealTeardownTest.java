package io.kjadm.core.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.EtcdValues;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * F180: {@code teardown --delete-data} of the last member, a real one with TLS, deletes what the
 * last snapshot has too, and nothing that a client wrote after it.
 */
class RealTeardownTest {

    private static final String KEY = "/client/key";

    @TempDir
    Path folder;

    private void write(RealMachines lab, ExternalEtcdFile client, String key) {
        try (EtcdValues values = lab.client(client)) {
            assertTrue(values.create(key, "value"));
        }
    }

    private List<Path> kept(RealMachines.Real machine) throws IOException {
        Path data = machine.process.dataDir();
        try (Stream<Path> all = Files.list(data.getParent())) {
            return all.filter(path -> path.toString().startsWith(data + ".reset-"))
                    .toList();
        }
    }

    private void tearDown(RealMachines lab) throws IOException {
        RealMachines.Real machine = lab.machines.getFirst();
        write(lab, machine.forControlPlanes(), KEY);
        machine.tearDown();
        assertFalse(machine.process.alive());
        assertFalse(Files.exists(machine.process.dataDir()));
        try (Stream<Path> snapshots = Files.list(machine.paths.snapshotsDir())) {
            assertEquals(1, snapshots.count());
        }
    }

    @Test
    void withoutAClientThatWritesTheDataAreDeleted() throws IOException {
        try (RealMachines lab = new RealMachines(folder, 1)) {
            tearDown(lab);
            assertEquals(List.of(), kept(lab.machines.getFirst()), lab.out::text);
        }
    }

    @Test
    void whatAClientWroteBehindTheSnapshotIsKept() throws IOException {
        try (RealMachines lab = new RealMachines(folder, 1)) {
            keepsWhatIsWrittenBeforeTheStop(lab);
            assertLinesMatch(
                    List.of("etcd's data are kept in \\Q%s\\E/data/etcd1\\.reset-[0-9-]+:"
                                    .formatted(folder)
                            + " they have revision 5, and the snapshot \\S+ has 4;"
                            + " delete them when they are no longer needed"),
                    List.of(lab.out.warnings().getLast()));
        }
    }

    /** What it acknowledged is in its log then, and need not be in its database. */
    @Test
    void alsoWhereEtcdIsKilled() throws IOException {
        try (RealMachines lab = new RealMachines(folder, 1)) {
            lab.end = EtcdProcess::close;
            keepsWhatIsWrittenBeforeTheStop(lab);
        }
    }

    private void keepsWhatIsWrittenBeforeTheStop(RealMachines lab) throws IOException {
        RealMachines.Real machine = lab.machines.getFirst();
        ExternalEtcdFile client = machine.forControlPlanes();
        machine.beforeStop = () -> write(lab, client, KEY + "/late");
        tearDown(lab);
        assertEquals(1, kept(machine).size(), lab.out::text);
    }
}
