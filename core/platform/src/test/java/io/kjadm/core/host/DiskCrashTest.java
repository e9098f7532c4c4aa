package io.kjadm.core.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.etcd.Mutates;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What a power cut leaves of each change that production makes to the disk ({@link CrashDisk}):
 * nothing that has returned is lost, and one that is cut leaves no state that a reader mistakes.
 */
@Tag("power-cut")
class DiskCrashTest {

    private static final Owner ETCD = new Owner(999, 998);

    /** A change, on a disk with {@code /d/file} ("old"), {@code /d/sub/x}, {@code /e}, and a left-over. */
    private enum Scene {
        NOTHING((files, path) -> {}),
        WRITE((files, path) ->
                files.write(path.apply("/d/file"), bytes("new"), FileMode.OWNER_ONLY)),
        WRITE_OWNED((files, path) ->
                files.write(path.apply("/d/file"), bytes("new"), FileMode.GROUP_READABLE, ETCD)),
        WRITE_BELOW_NEW_DIRECTORIES((files, path) ->
                files.write(path.apply("/n/m/file"), bytes("new"), FileMode.WORLD_READABLE)),
        WRITE_HERE((files, path) ->
                files.writeHere(path.apply("/d/file"), bytes("new"), FileMode.WORLD_READABLE)),
        CREATE_BELOW((files, path) -> files.createBelow(
                path.apply("/d"), path.apply("a/b/file"), bytes("new"), FileMode.OWNER_ONLY)),
        FILL((files, path) -> files.fill(
                path.apply("/d/big"), FileMode.OWNER_ONLY, out -> out.write(bytes("new")))),
        APPEND((files, path) -> files.append(path.apply("/d/file"), "+new")),
        OWN((files, path) -> files.own(path.apply("/d/file"), ETCD, FileMode.GROUP_READABLE)),
        OWN_TREE((files, path) -> files.ownTree(path.apply("/d"), ETCD)),
        LINK((files, path) -> files.link(path.apply("/d/link"), Path.of("file"))),
        CREATE_DIRECTORY((files, path) ->
                files.createDirectory(path.apply("/d/n"), FileMode.PASSABLE_DIRECTORY)),
        CREATE_DIRECTORIES((files, path) ->
                files.createDirectory(path.apply("/n/m"), FileMode.PASSABLE_DIRECTORY)),
        CREATE_OWN_DIRECTORY((files, path) -> files.createOwnDirectory(path.apply("/d/n"))),
        DELETE((files, path) -> files.delete(path.apply("/d/file"))),
        DELETE_LEFT_OVERS((files, path) -> files.delete(path.apply("/d/none"))),
        DELETE_CONTENTS((files, path) -> files.deleteContents(path.apply("/d"))),
        DELETE_TREE((files, path) -> files.deleteTree(path.apply("/d"))),
        RENAME((files, path) -> files.rename(path.apply("/d/file"), path.apply("/d/other"))),
        RENAME_TO_ANOTHER_DIRECTORY(
                (files, path) -> files.rename(path.apply("/d/sub"), path.apply("/e/sub")));

        private final BiConsumer<HostFiles, Function<String, Path>> change;

        Scene(BiConsumer<HostFiles, Function<String, Path>> change) {
            this.change = change;
        }

        private CrashDisk played() {
            CrashDisk disk = new CrashDisk(1);
            CrashFileSystem system = new CrashFileSystem(disk);
            HostFiles files = new DiskFiles();
            files.createDirectory(system.getPath("/d/sub"), FileMode.OPEN_DIRECTORY);
            files.createDirectory(system.getPath("/e"), FileMode.OPEN_DIRECTORY);
            files.write(system.getPath("/d/file"), bytes("old"), FileMode.OWNER_ONLY);
            files.write(system.getPath("/d/sub/x"), bytes("x"), FileMode.OWNER_ONLY);
            files.write(
                    system.getPath("/d/.none.12345678-1234-1234-1234-1234567890ab"),
                    bytes("key"),
                    FileMode.OWNER_ONLY);
            disk.settle();
            change.accept(files, system::getPath);
            return disk;
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The states of each path that not all states have alike, without temporary files. */
    private static Set<String> visible(List<SortedMap<String, CrashDisk.Node>> states) {
        return states.stream()
                .map(state -> {
                    SortedMap<String, CrashDisk.Node> shown = new TreeMap<>(state);
                    shown.keySet().removeIf(path -> path.contains("/."));
                    return CrashDisk.text(shown);
                })
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @EnumSource
    void whatHasReturnedIsNotLost(Scene scene) {
        CrashDisk disk = scene.played();
        assertEquals(
                List.of(CrashDisk.text(disk.tree())),
                disk.afterCutNow().stream().map(CrashDisk::text).toList());
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "WRITE",
                "WRITE_OWNED",
                "WRITE_HERE",
                "LINK",
                "CREATE_DIRECTORY",
                "CREATE_OWN_DIRECTORY",
                "DELETE",
                "DELETE_LEFT_OVERS",
                "RENAME",
                "RENAME_TO_ANOTHER_DIRECTORY"
            })
    void isMadeOrNot(Scene scene) {
        CrashDisk disk = scene.played();
        assertEquals(
                visible(List.of(Scene.NOTHING.played().tree(), disk.tree())),
                visible(disk.afterAnyCut()));
    }

    /** Directories, or files of a tree, may be there without the others. */
    @ParameterizedTest
    @EnumSource(
            names = {
                "WRITE_BELOW_NEW_DIRECTORIES",
                "CREATE_BELOW",
                "CREATE_DIRECTORIES",
                "DELETE_CONTENTS",
                "DELETE_TREE"
            })
    void eachFileIsAsBeforeOrAsAfterwards(Scene scene) {
        CrashDisk disk = scene.played();
        Set<String> before = lines(CrashDisk.text(Scene.NOTHING.played().tree()));
        Set<String> possible = lines(CrashDisk.text(disk.tree()));
        possible.addAll(before);
        for (String state : visible(disk.afterAnyCut())) {
            assertTrue(possible.containsAll(lines(state)), state);
        }
    }

    private static Set<String> lines(String text) {
        return text.lines().collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> statesOf(String path, Scene scene) {
        return scene.played().afterAnyCut().stream()
                .map(state -> state.containsKey(path)
                        ? CrashDisk.text(new TreeMap<>(Map.of(path, state.get(path))))
                                .strip()
                        : "none")
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void aFileThatIsBeingFilledMayHoldAnything() {
        String file = "/d/big rw------- 0:0 \"%s\"";
        assertEquals(
                Set.of(
                        "none",
                        file.formatted(""),
                        file.formatted("n"),
                        file.formatted("000"),
                        file.formatted("new")),
                statesOf("/d/big", Scene.FILL));
    }

    @Test
    void whatIsAppendedMayBeThereInPartBehindWhatWasThere() {
        String file = "/d/file rw------- 0:0 \"%s\"";
        assertEquals(
                Set.of(
                        file.formatted("old"),
                        file.formatted("old+n"),
                        file.formatted("old0000"),
                        file.formatted("old+new")),
                statesOf("/d/file", Scene.APPEND));
    }

    /** A mode for the new group is never there for the old one. */
    @Test
    void theOwnerComesBeforeTheMode() {
        assertEquals(
                Set.of(
                        "/d/file rw------- 0:0 \"old\"",
                        "/d/file rw------- 0:998 \"old\"",
                        "/d/file rw------- 999:998 \"old\"",
                        "/d/file rw-r----- 999:998 \"old\""),
                statesOf("/d/file", Scene.OWN));
        assertEquals(
                Set.of(
                        "/d/sub/x rw------- 0:0 \"x\"",
                        "/d/sub/x rw------- 0:998 \"x\"",
                        "/d/sub/x rw------- 999:998 \"x\""),
                statesOf("/d/sub/x", Scene.OWN_TREE));
    }

    @Test
    void ofAnOwnedTreeAlsoWhatAnotherProgramWroteIsNotLost() throws IOException {
        CrashDisk disk = Scene.NOTHING.played();
        CrashFileSystem system = new CrashFileSystem(disk);
        Files.createDirectory(system.getPath("/d/new"));
        Files.write(system.getPath("/d/new/y"), bytes("y"));
        assertTrue(disk.afterCutNow().size() > 1);
        new DiskFiles().ownTree(system.getPath("/d"), ETCD);
        assertEquals(1, disk.afterCutNow().size());
    }

    @Test
    void theNextWriteRemovesWhatACutOneLeft() {
        List<SortedMap<String, CrashDisk.Node>> cut = Scene.WRITE.played().afterAnyCut();
        assertTrue(cut.stream().anyMatch(DiskCrashTest::hasLeftOver));
        for (SortedMap<String, CrashDisk.Node> state : cut) {
            CrashDisk disk = new CrashDisk(1);
            disk.load(state);
            Path file = new CrashFileSystem(disk).getPath("/d/file");
            new DiskFiles().write(file, bytes("again"), FileMode.OWNER_ONLY);
            assertFalse(hasLeftOver(disk.tree()));
        }
    }

    private static boolean hasLeftOver(SortedMap<String, CrashDisk.Node> state) {
        return state.keySet().stream().anyMatch(path -> path.startsWith("/d/.file."));
    }

    /** A change that is not among the scenes is not checked. */
    @Test
    void everyChangeOfAFileIsPlayed() {
        Set<String> played = Arrays.stream(Scene.values())
                .map(scene -> scene.name().replace("_", "").toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
        for (Method method : HostFiles.class.getMethods()) {
            if (method.isAnnotationPresent(Mutates.class)) {
                String name = method.getName().toLowerCase(Locale.ROOT);
                assertTrue(played.contains(name), method.toString());
            }
        }
    }
}
