package io.kjadm.core.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kjadm.core.host.CrashDisk;
import io.kjadm.core.host.CrashFileSystem;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.StoreProxies;
import io.kjadm.store.StoreUrl;
import io.kjadm.store.Stores;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What a power cut leaves of a store in a folder ({@link CrashDisk}). */
@Tag("power-cut")
class SnapshotFolderCrashTest {

    private static final String KEY = "cluster/snapshot/db";
    private static final String PATH = "/mnt/backups/" + KEY;

    private final CrashDisk disk = new CrashDisk(1);
    private final ObjectStore store = Stores.open(
            new StoreUrl(
                    StoreUrl.Kind.FOLDER,
                    new CrashFileSystem(disk).getPath("/mnt/backups"),
                    "",
                    "",
                    Map.of()),
            null,
            StoreProxies.NONE);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Set<String> contents(List<SortedMap<String, CrashDisk.Node>> states) {
        return states.stream()
                .map(state -> state.containsKey(PATH)
                        ? new String(
                                state.get(PATH).content().orElseThrow(), StandardCharsets.UTF_8)
                        : "none")
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void whatWasCreatedStaysWithItsFolders() {
        store.create(KEY, out -> out.write(bytes("whole")));
        assertEquals(Set.of("whole"), contents(disk.afterCutNow()));
        assertEquals(Set.of("none", "whole"), contents(disk.afterAnyCut()));
    }

    @Test
    void whatWasPutOrReplacedStays() {
        store.put(KEY, bytes("first"));
        assertEquals(Set.of("first"), contents(disk.afterCutNow()));
        assertEquals(Set.of("none", "first"), contents(disk.afterAnyCut()));
        disk.settle();
        store.replace(KEY, bytes("second"));
        assertEquals(Set.of("second"), contents(disk.afterCutNow()));
        assertEquals(Set.of("first", "second"), contents(disk.afterAnyCut()));
    }

    /** Objects of one snapshot are removed in an order that leaves no listed one without its data. */
    @Test
    void whatWasRemovedDoesNotComeBack() {
        store.create(KEY, out -> out.write(bytes("whole")));
        disk.settle();
        store.delete(KEY);
        assertEquals(Set.of("none"), contents(disk.afterCutNow()));
        assertEquals(Set.of("/", "/mnt", "/mnt/backups"), disk.tree().keySet());
    }
}
