package io.kjadm.core.snapshot;

import static io.kjadm.core.snapshot.SnapshotObjects.JSON;
import static io.kjadm.core.snapshot.SnapshotObjects.LARGEST_MANIFEST;
import static io.kjadm.core.snapshot.SnapshotObjects.LARGEST_SIGNATURE;
import static io.kjadm.core.snapshot.SnapshotObjects.MANIFEST;
import static io.kjadm.core.snapshot.SnapshotObjects.ROOT;
import static io.kjadm.core.snapshot.SnapshotObjects.SIGNATURE;
import static io.kjadm.core.snapshot.SnapshotObjects.VERIFICATION;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.snapshot.SnapshotCatalog.Entry;
import io.kjadm.core.snapshot.SnapshotCatalog.Published;
import io.kjadm.core.snapshot.sign.SignatureState;
import io.kjadm.core.snapshot.sign.SnapshotTrust;
import io.kjadm.store.ObjectStore.StoredObject;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Reads which snapshots a store has, and checks their signatures.
 *
 * @param trust whose signatures are valid, and whether notes without one count
 */
record CatalogReader(SnapshotObjects objects, SnapshotTrust trust) {

    /** All of them, by cluster and time; those without a manifest too. */
    List<Entry> entries() {
        Map<String, List<StoredObject>> places = objects.store().list(ROOT).stream()
                .filter(CatalogReader::isOfSnapshot)
                .collect(Collectors.groupingBy(
                        object -> object.key().substring(0, object.key().lastIndexOf('/') + 1),
                        TreeMap::new,
                        Collectors.toList()));
        List<Entry> entries = new ArrayList<>();
        places.forEach((place, stored) -> entries.add(entry(place, stored)));
        return entries;
    }

    private static boolean isOfSnapshot(StoredObject object) {
        return object.hasKey() && object.key().split("/").length == 5;
    }

    /** The names of objects among the snapshots that belong to none; nothing is done with them. */
    List<String> others() {
        return objects.store().list(ROOT).stream()
                .filter(object -> !isOfSnapshot(object))
                .map(StoredObject::key)
                .toList();
    }

    private Entry entry(String place, List<StoredObject> stored) {
        String[] parts = place.split("/");
        Optional<SnapshotManifest> manifest = Optional.empty();
        String fault = "";
        SignatureState signature = SignatureState.UNSIGNED;
        List<Verification> verifications = new ArrayList<>();
        for (StoredObject object : stored) {
            String file = object.key().substring(place.length());
            try {
                if (file.equals(MANIFEST)) {
                    Optional<Published> published = bytes(object)
                            .map(bytes -> new Published(bytes, signature(place, stored)));
                    signature = published.map(this::check).orElse(signature);
                    manifest = published
                            .map(Published::parsed)
                            .map(told -> requirePlace(told, parts[2], parts[3]));
                } else if (file.startsWith(VERIFICATION) && file.endsWith(JSON)) {
                    bytes(object)
                            .filter(note -> believed(object.key(), note, stored))
                            .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                            .map(Verification::parse)
                            .ifPresent(verifications::add);
                }
            } catch (IllegalArgumentException e) {
                fault = "%s: %s".formatted(file, e.getMessage());
            }
        }
        verifications.sort(Comparator.comparing(Verification::at));
        return new Entry(parts[2], parts[3], manifest, fault, signature, verifications, stored);
    }

    /** It is written before the manifest, so a list that has that one has both. */
    private Optional<byte[]> signature(String place, List<StoredObject> stored) {
        return stored.stream().anyMatch(object -> object.key().equals(place + SIGNATURE))
                ? objects.start(place + SIGNATURE, LARGEST_SIGNATURE)
                : Optional.empty();
    }

    /** Another writer of the store can write notes, too, or copy those of another snapshot. */
    private boolean believed(String key, byte[] note, List<StoredObject> stored) {
        String signature = SnapshotObjects.signatureOf(key);
        return !trust.signed()
                || stored.stream().anyMatch(object -> object.key().equals(signature))
                        && trust.check(
                                        SnapshotObjects.about(key, note),
                                        objects.start(signature, LARGEST_SIGNATURE))
                                == SignatureState.VALID;
    }

    private SignatureState check(Published published) {
        return trust.check(published.manifest(), published.signature());
    }

    /**
     * The manifest of a snapshot and its signature as they are stored, for a copy.
     *
     * @throws ClusterException if they are not those that were read before
     */
    Published published(SnapshotManifest manifest) {
        String key = SnapshotObjects.place(manifest) + MANIFEST;
        return objects.start(key, LARGEST_MANIFEST)
                .map(bytes -> new Published(
                        bytes,
                        objects.start(
                                SnapshotObjects.place(manifest) + SIGNATURE, LARGEST_SIGNATURE)))
                .filter(found -> isOf(found, manifest))
                .filter(found -> !trust.signed() || check(found) == SignatureState.VALID)
                .orElseThrow(() -> new ClusterException(
                        "the manifest of snapshot %s has changed".formatted(manifest.name()),
                        "%s was written since the command began"
                                .formatted(objects.store().location() + " " + key),
                        "find out who writes to the store, then run the command again"));
    }

    /** All further access goes by what the manifest says. */
    private static SnapshotManifest requirePlace(
            SnapshotManifest manifest, String clusterId, String name) {
        if (!manifest.origin().clusterId().equals(clusterId) || !manifest.name().equals(name)) {
            throw new IllegalArgumentException("it is of snapshot %s of cluster %s"
                    .formatted(manifest.name(), manifest.origin().clusterId()));
        }
        return manifest;
    }

    private static boolean isOf(Published found, SnapshotManifest manifest) {
        try {
            return found.parsed().equals(manifest);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private Optional<byte[]> bytes(StoredObject object) {
        if (object.size() > LARGEST_MANIFEST) {
            throw new IllegalArgumentException("it has %d bytes".formatted(object.size()));
        }
        Optional<byte[]> bytes = objects.start(object.key(), LARGEST_MANIFEST + 1);
        if (bytes.filter(all -> all.length > LARGEST_MANIFEST).isPresent()) {
            throw new IllegalArgumentException("it has more bytes than the store said");
        }
        return bytes;
    }
}
