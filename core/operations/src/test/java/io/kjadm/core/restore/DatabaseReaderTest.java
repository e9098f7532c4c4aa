package io.kjadm.core.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.recover.DatabaseEvidence;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;

/** A database on the disk, which an etcd that answers nobody may hold. */
class DatabaseReaderTest {

    private static final int REVISIONS = 20;

    @TempDir
    Path dataDir;

    private Path database;
    private boolean held;
    private boolean written;

    @BeforeEach
    void make() throws IOException {
        database = DatabaseReader.file(dataDir);
        Files.createDirectories(database.getParent());
        Files.write(database, SnapshotBytes.database(REVISIONS, 0));
    }

    private DatabaseEvidence look() {
        return new DatabaseReader(files()).stored(dataDir).evidence();
    }

    /** The disk; the kernel's list of locks is what the test says. */
    private HostFiles files() {
        HostFiles disk = new DiskFiles();
        return (HostFiles) Proxy.newProxyInstance(
                HostFiles.class.getClassLoader(),
                new Class<?>[] {HostFiles.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("fileId")) {
                        return Optional.of("fe:00:7");
                    }
                    if (method.getName().equals("read")
                            && arguments[0].equals(Path.of("/proc/locks"))) {
                        return Optional.of(
                                held ? "1: FLOCK  ADVISORY  WRITE 4711 fe:00:7 0 EOF\n" : "");
                    }
                    if (method.getName().equals("open") && written) {
                        Files.setLastModifiedTime(
                                database, FileTime.from(Instant.now().plusSeconds(1)));
                    }
                    try {
                        return method.invoke(disk, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void assertUnread() {
        DatabaseEvidence.Unread unread = assertInstanceOf(DatabaseEvidence.Unread.class, look());
        assertTrue(unread.why().startsWith("process 4711 has "), unread.why());
    }

    @Test
    void oneThatNobodyHoldsIsRead() {
        assertEquals(
                REVISIONS + 1,
                assertInstanceOf(DatabaseEvidence.Whole.class, look()).revision());
    }

    /** As after a power cut: its etcd waits for a quorum, and is a survivor all the same. */
    @Test
    void oneThatIsHeldAndNotWrittenToIsRead() {
        held = true;
        assertEquals(
                REVISIONS + 1,
                assertInstanceOf(DatabaseEvidence.Whole.class, look()).revision());
    }

    @Test
    void oneThatIsWrittenToMeanwhileIsNot() {
        held = true;
        written = true;
        assertUnread();
    }

    /** Half a write looks like damage, which it is not to be called. */
    @Test
    void oneThatIsHeldIsNotCalledDamaged() throws IOException {
        byte[] torn = SnapshotBytes.database(10 * REVISIONS, 0);
        torn[4 * SnapshotBytes.PAGE + 40] ^= 1;
        Files.write(database, torn);
        held = true;
        assertUnread();
        held = false;
        assertInstanceOf(DatabaseEvidence.Damaged.class, look());
    }

    @Test
    void oneThatIsMissingIsDamage() throws IOException {
        Files.delete(database);
        assertInstanceOf(DatabaseEvidence.Damaged.class, look());
    }
}
