package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskFilesTest {

    private final HostFiles files = new DiskFiles();

    @TempDir
    private Path directory;

    @Test
    void writtenFileHasItsContentAndModeAndNothingBesideIt() throws IOException {
        Path file = directory.resolve("manifests/etcd.yaml");
        files.write(file, "kind: Pod\n", FileMode.OWNER_ONLY);
        assertEquals(Optional.of("kind: Pod\n"), files.read(file));
        assertEquals("rw-------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals("rwx------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())));
        assertEquals(List.of(file), files.list(file.getParent()));
    }

    @Test
    void modeDoesNotDependOnTheUmaskOrTheFormerFile() throws IOException {
        Path file = directory.resolve("ca.crt");
        files.write(file, "old", FileMode.OWNER_ONLY);
        files.write(file, "new", FileMode.WORLD_READABLE);
        assertEquals("rw-r--r--",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals(Optional.of("new"), files.read(file));
    }

    @Test
    void writingThroughALinkKeepsTheLink() throws IOException {
        Path target = directory.resolve("target");
        Path link = directory.resolve("link");
        files.write(target, "old", FileMode.OWNER_ONLY);
        Files.createSymbolicLink(link, target);
        files.write(link, "new", FileMode.OWNER_ONLY);
        assertTrue(Files.isSymbolicLink(link));
        assertEquals(Optional.of("new"), files.read(target));
    }

    @Test
    void failedWriteNamesThePathAndLeavesNoTemporaryFile() {
        Path occupied = directory.resolve("occupied");
        files.createDirectory(occupied.resolve("child"), FileMode.OPEN_DIRECTORY);
        HostException refused = assertThrows(HostException.class,
                () -> files.write(occupied, "text", FileMode.OWNER_ONLY));
        assertEquals("cannot write " + occupied, refused.what());
        assertEquals(List.of(occupied), files.list(directory));
    }

    @Test
    void missingFileIsEmptyAndDirectoryIsAFailure() {
        assertEquals(Optional.empty(), files.read(directory.resolve("missing")));
        assertThrows(HostException.class, () -> files.read(directory));
        assertEquals(List.of(), files.list(directory.resolve("missing")));
        assertEquals(Optional.empty(), files.realPath(directory.resolve("missing")));
    }

    @Test
    void contentsGoAndTheDirectoryAndWhatLinksPointToStay() throws IOException {
        Path kept = directory.resolve("kept");
        Path emptied = directory.resolve("emptied");
        files.write(kept, "precious", FileMode.OWNER_ONLY);
        files.write(emptied.resolve("a/b/c"), "text", FileMode.OWNER_ONLY);
        Files.createSymbolicLink(emptied.resolve("link"), kept);
        files.deleteContents(emptied);
        files.deleteContents(directory.resolve("missing"));
        assertEquals(List.of(), files.list(emptied));
        assertTrue(files.isDirectory(emptied));
        assertEquals(Optional.of("precious"), files.read(kept));
    }

    @Test
    void renameDoesNotReplace() {
        Path from = directory.resolve("from");
        Path to = directory.resolve("to");
        files.write(from, "new", FileMode.OWNER_ONLY);
        files.write(to, "old", FileMode.OWNER_ONLY);
        HostException refused = assertThrows(HostException.class, () -> files.rename(from, to));
        assertEquals(to + " already exists", refused.why());
        files.delete(to);
        files.delete(to);
        files.rename(from, to);
        assertFalse(files.exists(from));
        assertEquals(Optional.of("new"), files.read(to));
    }

    @Test
    void directoryIsNotMadeOverAFile() {
        Path file = directory.resolve("file");
        files.write(file, "", FileMode.OWNER_ONLY);
        assertThrows(HostException.class, () ->
                files.createDirectory(file, FileMode.OPEN_DIRECTORY));
    }

    @Test
    void kernelFilesThatClaimToBeEmptyAreRead() {
        assertTrue(files.read(Path.of("/proc/mounts")).orElseThrow().contains(" / "));
    }
}
