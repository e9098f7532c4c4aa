package io.kjadm.core.snapshot;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Content;
import io.kjadm.store.ObjectStore.Creation;
import io.kjadm.store.ObjectStore.StoredObject;
import io.kjadm.store.StoreException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The snapshots in a store. Each has a place of its own below its cluster's ID:
 * {@code v1/snapshots/CLUSTER/NAME/} with {@code data}, {@code manifest.json}, which is written last
 * and makes it one, {@code pki} if the cluster's keys are kept with it, and a {@code
 * verify-TIME.json} for each time that it was looked into.
 */
public final class SnapshotCatalog {

    /** Names the newest one. */
    public static final String LATEST = "latest";

    private static final String ROOT = "v1/snapshots/";
    private static final String DATA = "data";
    private static final String PKI = "pki";
    private static final String MANIFEST = "manifest.json";
    private static final String VERIFICATION = "verify-";
    private static final String JSON = ".json";
    private static final int LARGEST_MANIFEST = 1024 * 1024;
    private static final int LARGEST_PKI = 16 * 1024 * 1024;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd't'HHmmss'z'").withZone(ZoneOffset.UTC);

    private final ObjectStore store;

    public SnapshotCatalog(ObjectStore store) {
        this.store = store;
    }

    /** A moment as names have it, in UTC. */
    static String stamp(Instant moment) {
        return TIME.format(moment);
    }

    /** When the snapshot of a name was begun; empty if it was named otherwise. */
    static Optional<Instant> begun(String name) {
        try {
            return Optional.of(TIME.parse(name.replaceAll("-.*", ""), Instant::from));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /**
     * A snapshot in the store.
     *
     * @param clusterId     that it lies below
     * @param manifest      empty if there is none: it was not finished, or is being written now
     * @param fault         why its manifest cannot be read, or empty text
     * @param verifications what it stood, the last one last
     */
    public record Entry(
            String clusterId,
            String name,
            Optional<SnapshotManifest> manifest,
            String fault,
            List<Verification> verifications,
            List<StoredObject> objects) {

        public Entry {
            verifications = List.copyOf(verifications);
            objects = List.copyOf(objects);
        }

        /** The highest level that it stood, unless it failed one since. */
        public Optional<Verification> standing() {
            return verifications.isEmpty() || !verifications.getLast().passed()
                    ? Optional.empty()
                    : verifications.stream()
                            .filter(Verification::passed)
                            .max(Comparator.comparing(Verification::level));
        }
    }

    /** All of them, by cluster and time; those without a manifest too. */
    public List<Entry> entries() {
        Map<String, List<StoredObject>> places = store.list(ROOT).stream()
                .filter(object -> object.key().split("/").length == 5)
                .collect(Collectors.groupingBy(
                        object -> object.key().substring(0, object.key().lastIndexOf('/') + 1),
                        TreeMap::new,
                        Collectors.toList()));
        List<Entry> entries = new ArrayList<>();
        places.forEach((place, objects) -> entries.add(entry(place, objects)));
        return entries;
    }

    private Entry entry(String place, List<StoredObject> objects) {
        String[] parts = place.split("/");
        Optional<SnapshotManifest> manifest = Optional.empty();
        String fault = "";
        List<Verification> verifications = new ArrayList<>();
        for (StoredObject object : objects) {
            String file = object.key().substring(place.length());
            try {
                if (file.equals(MANIFEST)) {
                    manifest = text(object)
                            .map(ManifestJson::parse)
                            .map(told -> requirePlace(told, parts[2], parts[3]));
                } else if (file.startsWith(VERIFICATION) && file.endsWith(JSON)) {
                    text(object).map(Verification::parse).ifPresent(verifications::add);
                }
            } catch (IllegalArgumentException e) {
                fault = "%s: %s".formatted(file, e.getMessage());
            }
        }
        verifications.sort(Comparator.comparing(Verification::at));
        return new Entry(parts[2], parts[3], manifest, fault, verifications, objects);
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

    private Optional<String> text(StoredObject object) {
        if (object.size() > LARGEST_MANIFEST) {
            throw new IllegalArgumentException("it has %d bytes".formatted(object.size()));
        }
        Optional<InputStream> found = store.open(object.key());
        if (found.isEmpty()) {
            return Optional.empty();
        }
        try (InputStream in = found.get()) {
            byte[] text = in.readNBytes(LARGEST_MANIFEST + 1);
            if (text.length > LARGEST_MANIFEST) {
                throw new IllegalArgumentException("it has more bytes than the store said");
            }
            return Optional.of(new String(text, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw unreadable(object.key(), e);
        }
    }

    /**
     * Finds one by its name, the beginning of it, or {@value #LATEST}.
     *
     * @throws UsageException   if none or more than one is meant
     * @throws ClusterException if its manifest cannot be read
     */
    public SnapshotManifest find(String word) {
        List<Entry> whole =
                entries().stream().filter(entry -> entry.manifest().isPresent()).toList();
        List<Entry> meant = word.equals(LATEST)
                ? whole.stream()
                        .max(Comparator.comparing(Entry::name))
                        .map(List::of)
                        .orElse(List.of())
                : whole.stream().filter(entry -> entry.name().startsWith(word)).toList();
        if (meant.size() == 1) {
            return meant.getFirst().manifest().orElseThrow();
        }
        throw new UsageException(
                meant.isEmpty()
                        ? "there is no snapshot \"%s\" in %s".formatted(word, store.location())
                        : "\"%s\" may be any of %d snapshots".formatted(word, meant.size()),
                meant.stream().map(Entry::name).collect(Collectors.joining(", ")),
                "'kjadm etcd snapshot list' shows all");
    }

    /**
     * The same for one whose content takes the place of a cluster's: {@value #LATEST} is refused
     * where the store has those of several clusters. A cluster that was restored has another ID
     * since, so two may be one after the other.
     */
    public SnapshotManifest findToRestore(String word) {
        List<String> clusters = entries().stream()
                .filter(entry -> entry.manifest().isPresent())
                .map(Entry::clusterId)
                .distinct()
                .toList();
        if (word.equals(LATEST) && clusters.size() > 1) {
            throw new UsageException(
                    "which snapshot is meant is not certain",
                    "%s has those of %d clusters: %s"
                            .formatted(
                                    store.location(), clusters.size(), String.join(", ", clusters)),
                    "name one; 'kjadm etcd snapshot list' shows all");
        }
        return find(word);
    }

    /**
     * Writes the bytes of a snapshot; it is one only when {@link #publish} has ended.
     *
     * @throws StoreException if they could not be written whole
     */
    void write(String clusterId, String name, Content bytes) {
        create(place(clusterId, name) + DATA, bytes);
    }

    /** Writes the keys beside a snapshot that is not published yet. */
    void writePki(String clusterId, String name, Content bytes) {
        create(place(clusterId, name) + PKI, bytes);
    }

    /**
     * The stored bytes of the keys beside a snapshot.
     *
     * @throws ClusterException if they are gone
     */
    byte[] pki(SnapshotManifest manifest) {
        String key = place(manifest) + PKI;
        InputStream found = store.open(key)
                .orElseThrow(() -> new ClusterException(
                        "the keys beside snapshot %s are gone".formatted(manifest.name()),
                        "%s has no %s".formatted(store.location(), key),
                        "choose another one: 'kjadm etcd snapshot list' shows all"));
        try (found) {
            return found.readNBytes(LARGEST_PKI);
        } catch (IOException e) {
            throw unreadable(key, e);
        }
    }

    /** Makes what was written a snapshot. */
    void publish(SnapshotManifest manifest) {
        byte[] text = ManifestJson.text(manifest).getBytes(StandardCharsets.UTF_8);
        create(place(manifest) + MANIFEST, to -> to.write(text));
    }

    /** Notes what a snapshot stood, or did not; of two in one second the first is enough. */
    public void note(SnapshotManifest manifest, Verification verification) {
        byte[] text = verification.text().getBytes(StandardCharsets.UTF_8);
        store.create(
                place(manifest) + VERIFICATION + stamp(verification.at()) + "-"
                        + verification.level().word() + JSON,
                to -> to.write(text));
    }

    private void create(String key, Content content) {
        if (store.create(key, content) == Creation.EXISTS) {
            throw new ClusterException(
                    "%s has %s already".formatted(store.location(), key),
                    "somebody else has written it, or the clock went back",
                    "run the command again");
        }
    }

    /**
     * The stored bytes of a snapshot.
     *
     * @throws ClusterException if they are gone
     */
    InputStream open(SnapshotManifest manifest) {
        return store.open(place(manifest) + DATA)
                .orElseThrow(() -> new ClusterException(
                        "snapshot %s has no data".formatted(manifest.name()),
                        "only its manifest is in %s".formatted(store.location()),
                        "choose another one: 'kjadm etcd snapshot list' shows all"));
    }

    /** The file with the snapshot itself, if it lies so on this machine. */
    Optional<Path> file(SnapshotManifest manifest) {
        return manifest.stored().encoding().equals(SnapshotEncoding.NONE)
                ? store.file(place(manifest) + DATA)
                : Optional.empty();
    }

    /** Removes one, its manifest first: what is left then is no snapshot any more. */
    void remove(Entry entry) {
        entry.objects().stream()
                .map(StoredObject::key)
                .sorted(Comparator.comparing(key -> !key.endsWith("/" + MANIFEST)))
                .forEach(store::delete);
    }

    private static String place(SnapshotManifest manifest) {
        return place(manifest.origin().clusterId(), manifest.name());
    }

    private static String place(String clusterId, String name) {
        return ROOT + clusterId + "/" + name + "/";
    }

    private static StoreException unreadable(String key, IOException e) {
        return new StoreException("cannot read " + key, e.getMessage(), e);
    }
}
