package io.kjadm.core.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.snapshot.SnapshotCatalog.Entry;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.StoreException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A stored snapshot is verified, and what came of it is noted beside it. */
class SnapshotCheckTest extends SnapshotLab {

    /** As of a user who may only read, or of a disk that was mounted so for a restore. */
    @Test
    void aStoreThatOnlyLetsReadKeepsNobodyFromTheResult() {
        SnapshotManifest good = take(SnapshotEncoding.NONE);
        ObjectStore readOnly = (ObjectStore) Proxy.newProxyInstance(
                ObjectStore.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("create")) {
                        throw new StoreException(
                                "cannot write " + arguments[0], "read-only file system");
                    }
                    return method.invoke(store, arguments);
                });
        SnapshotCheck check =
                new SnapshotCheck(new SnapshotCatalog(readOnly), List.of(), clock, out);

        assertTrue(check.check(good, Level.STRUCTURE).passed());

        assertEquals(1, out.warnings().size());
        stored()[100] ^= 1;
        assertFalse(check.check(good, Level.STRUCTURE).passed());
    }

    /** Nothing of it is left, and nobody looks. */
    @Test
    void whatTheStoreHasConfirmedIsNotReadAgainForItsSum() {
        store.confirms = true;
        SavedSnapshot saved = save.save(
                save.choose(EtcdHealth.ask(etcd)),
                new SnapshotSave.Terms(
                        SnapshotEncoding.NONE, Map.of(), List.of(), Optional.empty()));
        store.objects.keySet().removeIf(key -> key.endsWith("/data"));
        SnapshotCheck check = new SnapshotCheck(catalog, List.of(), clock, out);

        Verification told = check.check(saved, Level.SUM);

        assertEquals(
                "%d bytes, revision 102, by the checksum of the store"
                        .formatted(saved.manifest().plain().bytes()),
                told.result());
        assertEquals(Optional.of(told), catalog.entries().getFirst().standing());
        assertThrows(ClusterException.class, () -> check.check(saved, Level.STRUCTURE));
        assertThrows(
                ClusterException.class,
                () -> check.check(SavedSnapshot.before(saved.manifest()), Level.SUM));
    }

    @Test
    void whatTheStoreHasNotConfirmedIsRead() {
        SavedSnapshot saved = save.save(
                save.choose(EtcdHealth.ask(etcd)),
                new SnapshotSave.Terms(
                        SnapshotEncoding.NONE, Map.of(), List.of(), Optional.empty()));
        stored()[5] ^= 1;
        SnapshotCheck check = new SnapshotCheck(catalog, List.of(), clock, out);

        assertFalse(check.check(saved, Level.SUM).passed());
    }

    @ParameterizedTest
    @EnumSource(
            value = Level.class,
            names = {"SUM", "STRUCTURE"})
    void aStoredBitThatIsFlippedIsFoundAndNoted(Level level) {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        assertTrue(check(manifest, level).passed());
        clock.pause("", "", Duration.ofMinutes(1));
        stored()[9000] ^= 1;

        Verification verification = check(manifest, level);

        assertFalse(verification.passed());
        Entry entry = catalog.entries().getFirst();
        assertEquals(2, entry.verifications().size());
        assertTrue(entry.standing().isEmpty());
    }

    @Test
    void anotherSnapshotInItsPlaceIsFound() throws IOException {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        String key = store.objects.keySet().stream()
                .filter(name -> name.endsWith("/data"))
                .findFirst()
                .orElseThrow();
        store.objects.put(key, SnapshotBytes.atRevision(102 + 5));

        assertFalse(check(manifest, Level.SUM).passed());
        assertFalse(check(manifest, Level.STRUCTURE).passed());
    }

    @Test
    void theHighestLevelThatWasPassedStands() {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        check(manifest, Level.STRUCTURE);
        clock.pause("", "", Duration.ofMinutes(1));
        check(manifest, Level.SUM);

        assertEquals(
                Level.STRUCTURE,
                catalog.entries().getFirst().standing().orElseThrow().level());
    }
}
