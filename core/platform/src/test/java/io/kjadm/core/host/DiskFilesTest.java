package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.core.error.HostException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

class DiskFilesTest {

    private final HostFiles files = new DiskFiles();

    @TempDir
    private Path directory;

    @Test
    void aFileIsNoDirectoryToWriteInto() throws IOException {
        Path file = Files.writeString(directory.resolve("metrics"), "text");

        HostException refused = assertThrows(
                HostException.class, () -> files.createDirectory(file, FileMode.OPEN_DIRECTORY));

        assertEquals("a file with that name exists", refused.why());
        assertEquals("text", Files.readString(file));
    }

    @Test
    void writtenFileHasItsContentAndModeAndNothingBesideIt() throws IOException {
        Path file = directory.resolve("manifests/etcd.yaml");
        files.write(file, "kind: Pod\n", FileMode.OWNER_ONLY);
        assertEquals(Optional.of("kind: Pod\n"), files.read(file));
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals(
                "rwx------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())));
        assertEquals(List.of(file), files.list(file.getParent()));
    }

    @Test
    void modeDoesNotDependOnTheUmaskOrTheFormerFile() throws IOException {
        Path file = directory.resolve("ca.crt");
        files.write(file, "old", FileMode.OWNER_ONLY);
        files.write(file, "new", FileMode.WORLD_READABLE);
        assertEquals(
                "rw-r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals(Optional.of("new"), files.read(file));
    }

    @Test
    void aFileIsFilledBitByBitAndReplacesWhatWasThere() throws IOException {
        Path file = directory.resolve("snapshots/etcd.db.part");
        for (String content : List.of("a longer one", "short")) {
            files.fill(file, FileMode.OWNER_ONLY, to -> {
                for (byte one : content.getBytes(StandardCharsets.UTF_8)) {
                    to.write(one);
                }
            });
            assertEquals(Optional.of(content), files.read(file));
        }
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void aFillingThatFailsNamesThePath() {
        String full = "No space left on device";
        Path file = directory.resolve("etcd.db.part");
        HostException failure = assertThrows(
                HostException.class,
                () -> files.fill(file, FileMode.OWNER_ONLY, to -> {
                    throw new IOException(full);
                }));
        assertEquals("cannot write " + file, failure.what());
        assertEquals("java.io.IOException: " + full, failure.why());
    }

    @Test
    void aLinkIsNotFilledThrough() throws IOException {
        Path target = Files.writeString(directory.resolve("passwd"), "root");
        Path link = Files.createSymbolicLink(directory.resolve("etcd.db.part"), target);
        assertThrows(
                HostException.class,
                () -> files.fill(link, FileMode.OWNER_ONLY, to -> to.write(1)));
        assertEquals("root", Files.readString(target));
    }

    @Test
    void appendingKeepsTheFileItself() throws IOException {
        Path file = directory.resolve("passwd");
        Files.writeString(file, "root\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        Object inode = Files.getAttribute(file, "unix:ino");
        files.append(file, "somebody\n");
        assertEquals("root\nsomebody\n", Files.readString(file));
        assertEquals(inode, Files.getAttribute(file, "unix:ino"));
        assertEquals(
                "rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void appendingToNothingMakesAFileThatEverybodyReads() throws IOException {
        Path file = directory.resolve("group");
        files.append(file, "somebody\n");
        assertEquals(
                "rw-r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void aFileGivenAwayHasItsOwnerAndMode() throws IOException {
        Path file = Files.writeString(directory.resolve("sa.key"), "secret");
        Owner owner = someOwner();
        files.own(file, owner, FileMode.GROUP_READABLE);
        assertEquals(owner, files.owner(file));
        assertEquals(owner, ownerOf(file));
        assertEquals(
                "rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void aTreeGivenAwayKeepsItsModesAndWhatItsLinksPointTo() throws IOException {
        Path data = Files.createDirectories(directory.resolve("data/member/wal"))
                .resolve("../..")
                .normalize();
        Path wal = Files.writeString(data.resolve("member/wal/0.wal"), "x");
        Path outside = Files.writeString(directory.resolve("outside"), "x");
        Owner before = ownerOf(outside);
        Files.createSymbolicLink(data.resolve("link"), outside);
        Files.createSymbolicLink(data.resolve("dangling"), directory.resolve("nothing"));
        Owner owner = someOwner();
        files.ownTree(data, owner);
        assertEquals(owner, ownerOf(data));
        assertEquals(owner, ownerOf(wal));
        assertEquals(before, ownerOf(outside));
    }

    @Test
    void whatIsNotThereCannotBeGivenAway() {
        Path nothing = directory.resolve("nothing");
        assertThrows(
                HostException.class, () -> files.own(nothing, someOwner(), FileMode.OWNER_ONLY));
        assertThrows(HostException.class, () -> files.ownTree(nothing, someOwner()));
    }

    @Test
    void aLockIsHeldByOneUntilItIsClosed() {
        Path lock = directory.resolve(".pwd.lock");
        HostFiles.Claim first = files.claim(lock).orElseThrow();
        assertTrue(files.claim(lock).isEmpty());
        first.close();
        files.claim(lock).orElseThrow().close();
    }

    /** Somebody else if the test may give files away, else the one who runs it. */
    private Owner someOwner() throws IOException {
        Owner self = ownerOf(directory);
        return self.equals(Owner.ROOT) ? new Owner(4321, 8765) : self;
    }

    private static Owner ownerOf(Path path) throws IOException {
        return new Owner((int) Files.getAttribute(path, "unix:uid"), (int)
                Files.getAttribute(path, "unix:gid"));
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
        HostException refused = assertThrows(
                HostException.class, () -> files.write(occupied, "text", FileMode.OWNER_ONLY));
        assertEquals("cannot write " + occupied, refused.what());
        assertEquals(List.of(occupied), files.list(directory));
    }

    @Test
    void whatAKilledWriteHasLeftGoesWithTheNextWriteAndTheDeletion() throws IOException {
        Path file = directory.resolve("admin.conf");
        Path other = Files.writeString(
                directory.resolve(".super-admin.conf." + UUID.randomUUID()), "another's key");
        Path held = Files.writeString(directory.resolve(".admin.conf.held"), "not one of these");
        for (Runnable action : List.<Runnable>of(
                () -> files.write(file, "kind: Config", FileMode.OWNER_ONLY),
                () -> files.delete(file),
                () -> files.delete(file))) {
            Files.writeString(directory.resolve(".admin.conf." + UUID.randomUUID()), "a key");
            action.run();
            assertEquals(
                    List.of(held, other),
                    files.list(directory).stream()
                            .filter(path -> !path.equals(file))
                            .toList());
        }
    }

    @Test
    void missingFileIsEmptyAndDirectoryIsAFailure() {
        assertEquals(Optional.empty(), files.read(directory.resolve("missing")));
        assertThrows(HostException.class, () -> files.read(directory));
        assertEquals(List.of(), files.list(directory.resolve("missing")));
        assertEquals(Optional.empty(), files.realPath(directory.resolve("missing")));
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
        assertThrows(
                HostException.class, () -> files.createDirectory(file, FileMode.OPEN_DIRECTORY));
    }

    @Test
    void kernelFilesThatClaimToBeEmptyAreRead() {
        assertEquals(
                List.of("/"),
                files.read(Path.of("/proc/mounts"))
                        .orElseThrow()
                        .lines()
                        .map(line -> line.split(" ")[1])
                        .filter("/"::equals)
                        .distinct()
                        .toList());
    }

    @Test
    void theEndOfAFileIsReadWithoutTheRest() {
        Path file = directory.resolve("0.log");
        assertEquals(Optional.empty(), files.readEnd(file, 10));
        files.write(file, "0123456789", FileMode.OWNER_ONLY);
        assertEquals("6789", new String(files.readEnd(file, 4).orElseThrow()));
        assertEquals("0123456789", new String(files.readEnd(file, 40).orElseThrow()));
        assertThrows(HostException.class, () -> files.readEnd(directory, 4));
    }

    @Test
    void aTextThatNeverEndsIsNotRead() {
        HostException refused =
                assertThrows(HostException.class, () -> files.read(Path.of("/dev/zero")));
        assertEquals("it has more than 3 MiB", refused.why());
    }

    @Test
    void theStartOfAFileIsReadWithoutTheRest() {
        Path file = directory.resolve("start");
        assertEquals(Optional.empty(), files.readStart(file, 10));
        files.write(file, "0123456789", FileMode.OWNER_ONLY);
        assertEquals("0123", new String(files.readStart(file, 4).orElseThrow()));
        assertEquals("0123456789", new String(files.readStart(file, 40).orElseThrow()));
    }

    @Test
    void aFileIsReadBitByBit() throws IOException {
        Path file = directory.resolve("0.wal");
        try (InputStream none = files.open(file)) {
            assertEquals(-1, none.read());
        }
        files.write(file, "0123456789", FileMode.OWNER_ONLY);
        try (InputStream content = files.open(file)) {
            assertEquals("0123", new String(content.readNBytes(4)));
        }
    }

    @Test
    void bytesOfAFileOrOfATreeAreAddedUp(@TempDir Path folder) throws IOException {
        Files.createDirectories(folder.resolve("a/b"));
        Files.writeString(folder.resolve("a/one"), "123");
        Files.writeString(folder.resolve("a/b/two"), "12345");

        assertEquals(8, files.treeBytes(folder));
        assertEquals(3, files.treeBytes(folder.resolve("a/one")));
        assertEquals(0, files.treeBytes(folder.resolve("none")));
    }

    @Test
    void aFolderOfOnesOwnIsCreatedOnceAndLinksAreRefused() throws IOException {
        Path target = Files.createDirectories(directory.resolve("etc"));
        Path kept = Files.writeString(target.resolve("kept"), "kept");
        Path own = directory.resolve("own");
        Path link = Files.createSymbolicLink(directory.resolve("link"), target);
        Path file = Files.writeString(directory.resolve("file"), "");

        files.createOwnDirectory(own);
        files.createOwnDirectory(own);

        assertEquals(
                "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(own)));
        assertThrows(HostException.class, () -> files.createOwnDirectory(link));
        assertThrows(HostException.class, () -> files.createOwnDirectory(file));
        assertEquals("kept", Files.readString(kept));
    }

    /** Such as the account of etcd, which owns the data directory. */
    @Test
    void whatAnotherAccountMadeIsNeitherUsedNorFollowed() throws IOException {
        Path target = Files.createDirectories(directory.resolve("etc"));
        Path kept = Files.writeString(target.resolve("kept"), "kept");
        Owner before = files.owner(kept);
        assumeTrue(before.equals(Owner.ROOT), "only root gives files away");
        Path folder = Files.createDirectory(directory.resolve("folder"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), target);
        for (Path path : List.of(folder, link)) {
            Files.setAttribute(path, "unix:uid", 1234, LinkOption.NOFOLLOW_LINKS);
            assertThrows(HostException.class, () -> files.createOwnDirectory(path));
        }

        assertThrows(HostException.class, () -> files.ownTree(link, new Owner(1234, 1234)));
        assertThrows(HostException.class, () -> files.deleteContents(link));

        assertEquals(before, files.owner(kept));
        files.deleteTree(link);
        assertEquals("kept", Files.readString(kept));
    }

    /** The operator may have put the data directory on another disk so. */
    @Test
    void ownLinksToADirectoryAreFollowed() throws IOException {
        Path target = Files.createDirectories(directory.resolve("disk"));
        Files.writeString(target.resolve("old"), "");
        Path link = Files.createSymbolicLink(directory.resolve("link"), target);

        files.deleteContents(link);

        assertTrue(Files.isDirectory(target));
        assertFalse(Files.exists(target.resolve("old")));
    }
}
