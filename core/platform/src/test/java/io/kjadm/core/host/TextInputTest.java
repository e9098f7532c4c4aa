package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

class TextInputTest {

    @TempDir
    private Path folder;

    @Test
    void aDirectoryIsToldAsOne() {
        IOException failure = assertThrows(IOException.class, () -> TextInput.of(folder));
        assertEquals("Is a directory", TextInput.reason(failure));
    }

    @Test
    void whatAFileSystemSaysComesWithoutThePath() {
        assertEquals(
                "NoSuchFileException",
                TextInput.reason(new NoSuchFileException("/etc/kubernetes")));
        assertEquals(
                "Permission denied",
                TextInput.reason(new AccessDeniedException("/root", null, "Permission denied")));
    }
}
