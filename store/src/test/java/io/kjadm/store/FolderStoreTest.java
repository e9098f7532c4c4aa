package io.kjadm.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

class FolderStoreTest extends StoreContract {

    @TempDir
    private Path directory;

    @Override
    ObjectStore store() {
        return Stores.open(StoreUrl.parse(folder().toString()), null);
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
}
