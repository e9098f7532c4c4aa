package io.kjadm.core.snapshot;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.snapshot.SnapshotCatalog.Entry;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.core.snapshot.sign.SignatureState;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.core.snapshot.sign.SnapshotKeys;
import io.kjadm.core.snapshot.sign.SnapshotTrust;
import io.kjadm.core.snapshot.sign.VerifyKey;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.store.ForwardingStore;
import io.kjadm.store.MemoryStore;
import io.kjadm.store.ObjectStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A store that another account can write to: it has a key of its own, knows every sum, and may copy
 * what was signed to another place.
 */
class SignedSnapshotTest {

    private final SimulatedCluster etcd = SimulatedCluster.ofVoters(3, "3.6.14");
    private final MemoryStore store = new MemoryStore();
    private final VirtualWaiter clock = new VirtualWaiter();
    private final RecordingReporter out = new RecordingReporter();
    private final MemoryFiles files = new MemoryFiles();
    private final SnapshotKeys keys = new SnapshotKeys(files);
    private final VerifyKey ours = keys.create(Path.of("/ours"));
    private final VerifyKey theirs = keys.create(Path.of("/theirs"));
    private final SnapshotCatalog catalog = catalog(store);

    private SnapshotCatalog catalog(ObjectStore objects) {
        return new SnapshotCatalog(objects, new SnapshotTrust(List.of(ours), false));
    }

    private SigningKey key(String folder) {
        return keys.signing(Path.of(folder).resolve(SnapshotKeys.SIGNING));
    }

    private SnapshotManifest take(Optional<SigningKey> key) {
        SnapshotSave save = new SnapshotSave(etcd, catalog, clock, new SplittableRandom(1), out);
        SnapshotManifest taken = save.save(
                        save.choose(EtcdHealth.ask(etcd)),
                        new SnapshotSave.Terms(SnapshotEncoding.NONE, Map.of(), List.of(), key))
                .manifest();
        clock.pause("", "", Duration.ofHours(1));
        return taken;
    }

    private SnapshotManifest signed() {
        return take(Optional.of(key("/ours")));
    }

    private static String place(SnapshotManifest manifest) {
        return "v1/snapshots/%s/%s/".formatted(manifest.origin().clusterId(), manifest.name());
    }

    private SignatureState state(SnapshotManifest manifest) {
        return catalog.entries().stream()
                .filter(entry -> entry.name().equals(manifest.name()))
                .map(Entry::signature)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void oneThatIsSignedIsFoundAndVerified() {
        SnapshotManifest manifest = signed();

        assertEquals(SignatureState.VALID, state(manifest));
        assertEquals(manifest, catalog.find(manifest.name()));
        assertEquals(64, store.objects.get(place(manifest) + "manifest.sig").length);
        assertTrue(new SnapshotCheck(catalog, List.of(), clock, out)
                .check(manifest, Level.STRUCTURE)
                .passed());
    }

    @Test
    void latestIsTheNewestThatIsAcceptedAndTellsWhatItPassesOver() {
        SnapshotManifest good = signed();
        SnapshotManifest unsigned = take(Optional.empty());
        SnapshotManifest foreign = take(Optional.of(key("/theirs")));

        SelectedSnapshot latest = catalog.find("latest", Optional.empty(), Optional.empty());

        assertEquals(good, latest.manifest());
        assertEquals(2, latest.remarks().size(), latest.remarks()::toString);
        assertTrue(latest.remarks().toString().contains(unsigned.name()));
        for (SnapshotManifest other : List.of(unsigned, foreign)) {
            assertReason(
                    CommonReason.NOT_ACCEPTED,
                    ClusterException.class,
                    () -> catalog.find(other.name()));
        }
        assertEquals(SignatureState.UNSIGNED, state(unsigned));
        assertEquals(SignatureState.INVALID, state(foreign));
        assertEquals(
                foreign,
                new SnapshotCatalog(store, new SnapshotTrust(List.of(ours, theirs), false))
                        .find("latest"));
    }

    @Test
    void whereNoneIsAcceptedThereIsNoLatest() {
        take(Optional.empty());
        assertReason(
                CommonReason.NOT_ACCEPTED, ClusterException.class, () -> catalog.find("latest"));
    }

    /** Every byte of the manifest counts: a number in it is a sum, a revision or a place. */
    @Test
    void aManifestThatWasChangedAnywhereIsNotAccepted() {
        SnapshotManifest manifest = signed();
        byte[] text = store.objects.get(place(manifest) + "manifest.json");
        for (int i = 0; i < text.length; i += 7) {
            byte[] changed = text.clone();
            changed[i] ^= 1;
            store.objects.put(place(manifest) + "manifest.json", changed);
            assertThrows(KjadmException.class, () -> catalog.find("latest"));
        }
        store.objects.put(
                place(manifest) + "manifest.json",
                (new String(text, StandardCharsets.UTF_8) + "\n").getBytes(StandardCharsets.UTF_8));
        assertReason(
                CommonReason.NOT_ACCEPTED, ClusterException.class, () -> catalog.find("latest"));
    }

    @Test
    void whatWasSignedElsewhereIsNotAcceptedHere() {
        SnapshotManifest manifest = signed();
        for (String other : List.of(
                "v1/snapshots/%s/20300101t000000z-0001/"
                        .formatted(manifest.origin().clusterId()),
                "v1/snapshots/ffff/%s/".formatted(manifest.name()))) {
            for (String object : List.of("data", "manifest.json", "manifest.sig")) {
                store.objects.put(other + object, store.objects.get(place(manifest) + object));
            }
        }

        SelectedSnapshot latest = catalog.find("latest", Optional.empty(), Optional.empty());

        assertEquals(manifest, latest.manifest());
        assertEquals(
                1,
                catalog.entries().stream()
                        .filter(entry -> entry.manifest().isPresent())
                        .count());
    }

    @Test
    void dataOfAnotherSnapshotIsFoundByTheSignedSum() {
        SnapshotManifest old = signed();
        etcd.write(5);
        SnapshotManifest newer = signed();
        store.objects.put(place(newer) + "data", store.objects.get(place(old) + "data"));

        SnapshotReader reader = new SnapshotReader(catalog, List.of(), out);
        assertReason(
                CommonReason.DAMAGED,
                ClusterException.class,
                () -> reader.fetch(newer, files, Path.of("/x/data.db")));
        assertFalse(files.exists(Path.of("/x/data.db")));
    }

    @Test
    void aCopyKeepsItsSignature() {
        SnapshotManifest manifest = signed();
        MemoryStore elsewhere = new MemoryStore();
        new SnapshotCopy(catalog, new SnapshotCatalog(elsewhere), out).copy(manifest);

        assertEquals(manifest, catalog(elsewhere).find("latest"));
        for (String object : List.of("data", "manifest.json", "manifest.sig")) {
            assertArrayEquals(
                    store.objects.get(place(manifest) + object),
                    elsewhere.objects.get(place(manifest) + object));
        }
    }

    /** Its names are the same each time, so what an earlier run has made must not stop it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void aCopyThatWasKilledIsRepeated(int objects) {
        SnapshotManifest manifest = signed();
        MemoryStore elsewhere = new MemoryStore();
        KilledStore killed = new KilledStore(elsewhere, objects);
        assertThrows(
                IllegalStateException.class,
                () -> new SnapshotCopy(catalog, new SnapshotCatalog(killed), out).copy(manifest));
        assertEquals(objects, elsewhere.objects.size());
        if (objects < 3) {
            assertThrows(KjadmException.class, () -> catalog(elsewhere).find("latest"));
        }

        new SnapshotCopy(catalog, new SnapshotCatalog(elsewhere), out).copy(manifest);

        assertEquals(manifest, catalog(elsewhere).find("latest"));
        assertEquals(3, elsewhere.objects.size());
    }

    @Test
    void anUnfinishedCopyOfOtherBytesIsReplaced() {
        SnapshotManifest manifest = signed();
        MemoryStore elsewhere = new MemoryStore();
        elsewhere.objects.put(place(manifest) + "data", new byte[] {1});

        new SnapshotCopy(catalog, new SnapshotCatalog(elsewhere), out).copy(manifest);

        assertArrayEquals(
                store.objects.get(place(manifest) + "data"),
                elsewhere.objects.get(place(manifest) + "data"));
    }

    @Test
    void anotherSnapshotOfThatNameStays() {
        SnapshotManifest manifest = signed();
        MemoryStore elsewhere = new MemoryStore();
        elsewhere.objects.put(place(manifest) + "data", new byte[] {1});
        elsewhere.objects.put(place(manifest) + "manifest.json", new byte[] {'{', '}'});

        assertThrows(
                ClusterException.class,
                () -> new SnapshotCopy(catalog, new SnapshotCatalog(elsewhere), out)
                        .copy(manifest));

        assertEquals(1, elsewhere.objects.get(place(manifest) + "data").length);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1})
    void bytesThatAreNotThoseOfTheManifestAreNotCopied(int longer) {
        SnapshotManifest manifest = signed();
        byte[] data = store.objects.get(place(manifest) + "data");
        byte[] other = Arrays.copyOf(data, data.length + longer);
        other[100] ^= 1;
        store.objects.put(place(manifest) + "data", other);
        MemoryStore elsewhere = new MemoryStore();

        assertReason(
                CommonReason.DAMAGED,
                ClusterException.class,
                () -> new SnapshotCopy(catalog, new SnapshotCatalog(elsewhere), out)
                        .copy(manifest));

        assertEquals(Map.of(), elsewhere.objects);
    }

    /** Else whoever may only add objects decides which good ones are removed. */
    @Test
    void unsignedSnapshotsTakeNoPlaceOfSignedOnes() {
        SnapshotManifest good = signed();
        List<SnapshotManifest> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(take(Optional.of(key("/theirs"))));
        }
        SnapshotPrune prune = new SnapshotPrune(catalog, clock, out);

        prune.remove(prune.expired(new Retention(1, 0, 0, 0, 0, 1)));

        assertEquals(
                List.of(good.name(), others.getLast().name()),
                catalog.entries().stream().map(Entry::name).toList());
        assertEquals(good, catalog.find("latest"));
    }

    /** A store that ends with its program behind so many objects. */
    private static final class KilledStore extends ForwardingStore {

        private int left;

        KilledStore(ObjectStore real, int left) {
            super(real);
            this.left = left;
        }

        @Override
        public Creation create(String key, Content content) {
            if (left == 0) {
                throw new IllegalStateException("killed");
            }
            left--;
            Creation creation = super.create(key, content);
            if (left == 0 && key.endsWith("manifest.json")) {
                throw new IllegalStateException("killed");
            }
            return creation;
        }
    }

    private static List<Boolean> results(SnapshotCatalog from, SnapshotManifest manifest) {
        return from.entries().stream()
                .filter(entry -> entry.name().equals(manifest.name()))
                .flatMap(entry -> entry.verifications().stream())
                .map(Verification::passed)
                .toList();
    }

    /** The other account notes that a bad one passed, or copies the note of a good one. */
    @Test
    void aNoteCountsOnlyIfItIsSignedForItsSnapshot() {
        SnapshotManifest good = signed();
        SnapshotManifest other = signed();
        new SnapshotCheck(catalog, List.of(), clock, out).check(good, Level.SUM);
        clock.pause("", "", Duration.ofMinutes(1));
        assertEquals(List.of(), results(catalog, good));
        assertEquals(List.of(true), results(new SnapshotCatalog(store), good));

        new SnapshotCheck(catalog.signing(Optional.of(key("/ours"))), List.of(), clock, out)
                .check(good, Level.SUM);
        clock.pause("", "", Duration.ofMinutes(1));
        new SnapshotCheck(catalog.signing(Optional.of(key("/theirs"))), List.of(), clock, out)
                .check(good, Level.SUM);
        assertEquals(List.of(true), results(catalog, good));

        Map.copyOf(store.objects).forEach((name, bytes) -> {
            if (name.startsWith(place(good) + "verify-")) {
                store.objects.put(name.replace(place(good), place(other)), bytes);
            }
        });
        assertEquals(List.of(), results(catalog, other));
    }
}
