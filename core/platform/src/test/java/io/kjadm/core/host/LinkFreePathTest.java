package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.HostException;
import io.kjadm.core.phase.RecordingReporter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Files below a directory on a real disk, with links where another account could put them. */
class LinkFreePathTest {

    private static final byte[] TEXT = {1, 2, 3};
    private static final Path FILE = Path.of("etc/kubernetes/pki/ca.key");

    private final HostFiles files = new DiskFiles();

    @TempDir
    Path scratch;

    private Path root() throws IOException {
        return Files.createDirectories(scratch.resolve("root"));
    }

    @Test
    void aFileIsCreatedWithItsParentsAndItsModeAndReadAgain() throws IOException {
        assertEquals(Optional.empty(), files.readBelow(root(), FILE));

        files.createBelow(root(), FILE, TEXT, FileMode.OWNER_ONLY);

        assertArrayEquals(TEXT, files.readBelow(root(), FILE).orElseThrow());
        Path file = root().resolve(FILE);
        assertEquals(FileMode.OWNER_ONLY.permissions(), files.permissions(file));
        assertEquals(
                KubernetesPaths.parentMode(file).permissions(),
                Files.getPosixFilePermissions(file.getParent()));
        try (Stream<Path> beside = Files.list(file.getParent())) {
            assertEquals(1, beside.count());
        }
    }

    @Test
    void theRootItselfIsCreatedAndMayBeALink() throws IOException {
        files.createBelow(scratch.resolve("new/root"), FILE, TEXT, FileMode.OWNER_ONLY);
        assertTrue(Files.exists(scratch.resolve("new/root").resolve(FILE)));

        Path link = Files.createSymbolicLink(scratch.resolve("link"), root());
        files.createBelow(link, FILE, TEXT, FileMode.OWNER_ONLY);
        assertTrue(Files.exists(root().resolve(FILE)));
    }

    /** It may be a key. */
    @Test
    void whatAKilledWriteHasLeftGoes() throws IOException {
        Path directory = Files.createDirectories(root().resolve(FILE).getParent());
        Path other = Files.write(directory.resolve("." + FILE.getFileName() + ".old"), TEXT);
        Files.write(
                directory.resolve(
                        "." + FILE.getFileName() + ".12345678-1234-1234-1234-1234567890ab"),
                TEXT);

        files.createBelow(root(), FILE, TEXT, FileMode.OWNER_ONLY);

        assertEquals(Set.of(other, root().resolve(FILE)), Set.copyOf(files.list(directory)));
    }

    @Test
    void nothingIsReplaced() throws IOException {
        files.createBelow(root(), FILE, TEXT, FileMode.OWNER_ONLY);

        assertThrows(
                HostException.class,
                () -> files.createBelow(root(), FILE, new byte[] {9}, FileMode.OWNER_ONLY));

        assertArrayEquals(TEXT, Files.readAllBytes(root().resolve(FILE)));
    }

    @Test
    void aLinkIsReplacedAndItsTargetStays() throws IOException {
        Path target = Files.write(scratch.resolve("target"), new byte[] {9});
        Path link = Files.createSymbolicLink(root().resolve("file"), target);

        files.writeHere(link, TEXT, FileMode.WORLD_READABLE);
        files.writeHere(link, TEXT, FileMode.WORLD_READABLE);

        assertArrayEquals(new byte[] {9}, Files.readAllBytes(target));
        assertArrayEquals(TEXT, Files.readAllBytes(link));
        assertEquals(FileMode.WORLD_READABLE.permissions(), files.permissions(link));
        try (Stream<Path> beside = Files.list(root())) {
            assertEquals(1, beside.count());
        }
    }

    /** A timer's snapshot and one by hand both write the metrics, without the machine's lock. */
    @Test
    void twoWritersOfOneFileDoNotDisturbEachOther() throws Exception {
        Path file = root().resolve("file");
        Callable<Void> writer = () -> {
            for (int i = 0; i < 200; i++) {
                files.writeHere(file, TEXT, FileMode.WORLD_READABLE);
            }
            return null;
        };
        try (ExecutorService writers = Executors.newFixedThreadPool(2)) {
            for (Future<Void> done : writers.invokeAll(List.of(writer, writer))) {
                done.get();
            }
        }

        assertArrayEquals(TEXT, Files.readAllBytes(file));
        try (Stream<Path> beside = Files.list(root())) {
            assertEquals(List.of(file), beside.toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"etc", "etc/kubernetes", "etc/kubernetes/pki"})
    void aDirectoryThatIsALinkIsNotFollowed(String directory) throws IOException {
        Path target = Files.createDirectories(scratch.resolve("target"));
        Path link = root().resolve(directory);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, target);

        for (HostFiles each :
                new HostFiles[] {files, new OverlayFiles(files, new RecordingReporter())}) {
            assertThrows(
                    HostException.class,
                    () -> each.createBelow(root(), FILE, TEXT, FileMode.OWNER_ONLY));
            assertThrows(HostException.class, () -> each.readBelow(root(), FILE));
        }

        try (Stream<Path> below = Files.list(target)) {
            assertEquals(0, below.count());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileThatIsALinkIsNotFollowed(boolean dangling) throws IOException {
        Path victim = scratch.resolve("victim");
        if (!dangling) {
            Files.writeString(victim, "of root alone");
        }
        Path link = root().resolve(FILE);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, victim);

        assertThrows(
                HostException.class,
                () -> files.createBelow(root(), FILE, TEXT, FileMode.OWNER_ONLY));
        assertThrows(HostException.class, () -> files.readBelow(root(), FILE));

        assertEquals(dangling, !Files.exists(victim));
        assertTrue(Files.isSymbolicLink(link));
    }
}
