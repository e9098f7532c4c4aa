package io.kjadm.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.store.ObjectStore.Creation;
import io.kjadm.store.ObjectStore.Unfinished;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

class FolderStoreTest extends StoreContract {

    @TempDir
    private Path directory;

    @Override
    ObjectStore store() {
        return Stores.open(StoreUrl.parse(folder().toString()), null, StoreProxies.NONE);
    }

    private Path folder() {
        return directory.resolve("made/by/need");
    }

    @Test
    void onlyTheOwnerReadsWhatIsKept() throws IOException {
        store().create("a/b", of(bytes(3)));

        assertEquals("rw-------", mode(folder().resolve("a/b")));
        assertEquals("rwx------", mode(folder().resolve("a")));
        assertEquals("rwx------", mode(folder()));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void aPartThatAKilledProgramLeftIsNoObject() throws IOException {
        store().create("a/b", of(bytes(3)));
        Files.write(folder().resolve("a/.part-0123"), bytes(9));

        assertEquals(1, store().list("").size());
    }

    /** No list shows it, so that only this finds it again. */
    @Test
    void aPartThatAKilledProgramLeftIsFoundAndRemoved() throws IOException {
        Path part = folder().resolve("a/c/.part-0123456789abcdef");
        Files.createDirectories(part.getParent());
        Files.write(part, bytes(9));
        Instant then = Instant.parse("2026-01-01T00:00:00Z");
        Files.setLastModifiedTime(part, FileTime.from(then));
        Files.createSymbolicLink(
                folder().resolve("a/.part-0123456789abcdee"), directory.resolve("elsewhere"));
        Files.write(folder().resolve("a/.part-other"), bytes(1));

        List<Unfinished> found = store().unfinished("a/");

        assertEquals(List.of(new Unfinished("a/c/.part-0123456789abcdef", "", then)), found);
        assertEquals(List.of(), store().unfinished("b/"));
        found.forEach(store()::abandon);
        found.forEach(store()::abandon);
        assertFalse(Files.exists(part.getParent()));
        assertEquals(List.of(), store().unfinished(""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a/b",
                "a/.part-x",
                "../.part-0123456789abcdef",
                "/.part-0123456789abcdef",
                "a/../.part-0123456789abcdef"
            })
    void whatIsNoPartIsNotRemovedAsOne(String key) {
        store().create("a/b", of(bytes(3)));
        assertThrows(
                IllegalArgumentException.class,
                () -> store().abandon(new Unfinished(key, "", Instant.EPOCH)));
        assertEquals(1, store().list("").size());
    }

    @Test
    void emptyFoldersGoWithTheLastObject() {
        store().create("a/b/c", of(bytes(3)));
        store().create("a/d", of(bytes(3)));

        store().delete("a/b/c");

        assertFalse(Files.exists(folder().resolve("a/b")));
        assertTrue(Files.exists(folder().resolve("a/d")));
    }

    @Test
    void whatCannotBeWrittenIsToldWithItsReason() throws IOException {
        Files.createDirectories(directory.resolve("made"));
        Files.writeString(directory.resolve("made/by"), "a file");

        StoreException failure =
                assertThrows(StoreException.class, () -> store().create("a", of(bytes(1))));

        assertTrue(failure.what().contains(folder().toString()), failure.getMessage());
        assertEquals(List.of(), store().list(""));
    }

    @Test
    void aLinkIsNoObject() throws IOException {
        store().create("a/b", of(bytes(3)));
        Path secret = Files.write(directory.resolve("ca.key"), bytes(9));
        Files.createSymbolicLink(folder().resolve("a/link"), secret);

        assertThrows(StoreException.class, () -> store().open("a/link"));
        assertEquals(Optional.empty(), store().file("a/link"));
        assertEquals(1, store().list("").size());
    }

    @Test
    void norIsAFileBehindAFolderThatIsALink() throws IOException {
        store().create("a/b", of(bytes(3)));
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.write(elsewhere.resolve("data"), bytes(9));
        Files.createSymbolicLink(folder().resolve("a/c"), elsewhere);

        assertThrows(StoreException.class, () -> store().open("a/c/data"));
        assertEquals(Optional.empty(), store().file("a/c/data"));
    }

    /** Another account may exchange a folder for a link after it was listed. */
    @Test
    void nothingIsDeletedBehindALink() throws IOException {
        store().create("a/c/data", of(bytes(3)));
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.write(elsewhere.resolve("data"), bytes(9));
        Path exchanged = folder().resolve("a/c");
        Files.delete(exchanged.resolve("data"));
        Files.delete(exchanged);
        Files.createSymbolicLink(exchanged, elsewhere);

        assertThrows(StoreException.class, () -> store().delete("a/c/data"));
        assertTrue(Files.exists(elsewhere.resolve("data")));
        store().delete("a/nothing/data");
    }

    /** A folder or a pipe would hang, or fail late. */
    @Test
    void onlyRegularFilesAreRead() {
        store().create("a/b", of(bytes(3)));

        assertThrows(StoreException.class, () -> store().open("a"));
    }

    @Test
    void whatIsPutIsForTheOwnerAndLeavesNoPart() throws IOException {
        store().put("a/b", bytes(3));
        store().put("a/b", bytes(4));
        store().replace("a/c", bytes(5));

        assertEquals("rw-------", mode(folder().resolve("a/b")));
        assertEquals("rw-------", mode(folder().resolve("a/c")));
        assertEquals("rwx------", mode(folder().resolve("a")));
        assertEquals(List.of(), store().unfinished(""));
    }

    @Test
    void nothingIsWrittenOrReadThroughALink() throws IOException {
        store().put("a/b", bytes(3));
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.createSymbolicLink(folder().resolve("a/c"), elsewhere);
        Files.createSymbolicLink(folder().resolve("a/link"), folder().resolve("a/b"));

        assertThrows(StoreException.class, () -> store().put("a/c/d", bytes(1)));
        assertThrows(StoreException.class, () -> store().replace("a/c/d", bytes(1)));
        assertThrows(StoreException.class, () -> store().create("a/c/d", of(bytes(1))));
        assertThrows(StoreException.class, () -> store().read("a/link", 9));
        assertEquals(ObjectStore.Put.EXISTS, store().put("a/link", bytes(1)));
        try (Stream<Path> files = Files.list(elsewhere)) {
            assertEquals(0, files.count());
        }
    }

    private ObjectStore failing(IOException failure) {
        return new FolderStore(StoreUrl.parse(folder().toString()), (name, file) -> {
            Files.createLink(name, file);
            throw failure;
        });
    }

    /** As a server of files does that was started again before it answered. */
    @Test
    void aNameWhoseAnswerWasLostIsItsOwn() throws IOException {
        ObjectStore asked = failing(new FileAlreadyExistsException("a/b"));
        assertEquals(Creation.CREATED, asked.create("a/b", of(bytes(3))));
        assertEquals(Creation.EXISTS, asked.create("a/b", of(bytes(3))));

        ObjectStore timedOut = failing(new IOException("timed out"));
        assertEquals(Creation.CREATED, timedOut.create("a/c", of(bytes(3))));
        assertArrayEquals(bytes(3), read(store(), "a/c").orElseThrow());
        assertEquals(List.of(), store().unfinished(""));
    }

    @Test
    void whatCannotBePutIsCertain() throws IOException {
        Files.createDirectories(directory.resolve("made"));
        Files.writeString(directory.resolve("made/by"), "a file");

        assertThrows(StoreException.class, () -> store().put("a", bytes(1)));
        assertThrows(StoreException.class, () -> store().replace("a", bytes(1)));
    }
}
