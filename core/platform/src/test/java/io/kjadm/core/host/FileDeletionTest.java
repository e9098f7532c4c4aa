package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kjadm.core.error.HostException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/** What is deleted from the disk, and what links there point to and stays. */
class FileDeletionTest {

    private final HostFiles files = new DiskFiles();

    @TempDir
    private Path directory;

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
    void aTreeGoesWithItsRootAndALinkWithoutWhatItPointsTo() throws IOException {
        Path kept = directory.resolve("kept/file");
        Path tree = directory.resolve("tree");
        files.write(kept, "precious", FileMode.OWNER_ONLY);
        files.write(tree.resolve("a/b"), "text", FileMode.OWNER_ONLY);
        Files.createSymbolicLink(tree.resolve("a/link"), kept.getParent());
        Path link = Files.createSymbolicLink(directory.resolve("link"), kept.getParent());
        Path dangling = Files.createSymbolicLink(
                directory.resolve("dangling"), directory.resolve("nothing"));
        for (Path path : List.of(tree, link, dangling, directory.resolve("missing/one"))) {
            files.deleteTree(path);
        }
        assertEquals(List.of(kept.getParent()), files.list(directory));
        assertEquals(Optional.of("precious"), files.read(kept));
    }

    @Test
    void oneEntryThatStaysDoesNotKeepTheOthers() throws IOException {
        Path stays = directory.resolve("tree/b/lost");
        Path tree = directory.resolve("tree");
        for (String name : List.of("a/file", "b/file", "c/file")) {
            files.write(tree.resolve(name), "text", FileMode.OWNER_ONLY);
        }
        HostFiles busy = new DiskFiles();
        assumeTrue(mounted(stays), "the test may not mount");
        try {
            HostException failure =
                    assertThrows(HostException.class, () -> busy.deleteContents(tree));
            assertTrue(failure.why().contains(stays.toString()), failure.why());
        } finally {
            mount("umount", stays.toString());
        }
        assertEquals(List.of(tree.resolve("b")), files.list(tree));
        assertEquals(List.of(stays), files.list(tree.resolve("b")));
    }

    private static boolean mounted(Path target) throws IOException {
        Files.createDirectories(target);
        return mount("mount", "-t", "tmpfs", "none", target.toString());
    }

    private static boolean mount(String... command) throws IOException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    void aTreeMayBeDeeperThanAPathMayBeLong() throws IOException {
        Path top = Files.createDirectory(directory.resolve("top"));
        for (int i = 0; i < 1500; i++) {
            Path above = Files.createDirectory(directory.resolve("above"));
            Files.move(top, above.resolve("top"));
            Files.move(above, top);
        }
        files.deleteTree(top);
        assertEquals(List.of(), files.list(directory));
    }

    /** A directory and a link change places all the time, as a pod could have them do. */
    @Test
    void aLinkThatIsSwappedInIsNotFollowed() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Path emptied = Files.createDirectory(directory.resolve("emptied"));
        List<String> names = IntStream.range(0, 20).mapToObj(i -> "file" + i).toList();
        AtomicBoolean done = new AtomicBoolean();
        try (var thread = Executors.newSingleThreadExecutor()) {
            thread.execute(() -> {
                while (!done.get()) {
                    swap(emptied, outside);
                }
            });
            try {
                long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
                while (System.nanoTime() < end) {
                    for (String name : names) {
                        Files.writeString(outside.resolve(name), "precious");
                    }
                    empty(emptied, names);
                    names.forEach(name -> assertTrue(files.exists(outside.resolve(name)), name));
                }
            } finally {
                done.set(true);
            }
        }
    }

    private static void swap(Path emptied, Path outside) {
        try {
            Path victim = emptied.resolve("victim");
            Path link = emptied.resolve("link");
            if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
                Files.createSymbolicLink(link, outside);
            }
            Files.move(victim, emptied.resolve("away"), StandardCopyOption.ATOMIC_MOVE);
            Files.move(link, victim, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException lost) {
            // the other side was faster, which is what this is about
        }
    }

    private void empty(Path emptied, List<String> names) {
        try {
            Path victim = Files.createDirectories(emptied.resolve("victim"));
            for (String name : names) {
                Files.writeString(victim.resolve(name), "");
            }
            files.deleteContents(emptied);
        } catch (IOException | HostException lost) {
            // somebody changes what is being removed, so it may not work
        }
    }
}
