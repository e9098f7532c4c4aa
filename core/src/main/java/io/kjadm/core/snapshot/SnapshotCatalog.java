package io.kjadm.core.snapshot;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.snapshot.sign.SignatureState;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.core.snapshot.sign.SnapshotTrust;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Content;
import io.kjadm.store.ObjectStore.Creation;
import io.kjadm.store.ObjectStore.StoredObject;
import io.kjadm.store.ObjectStore.Unfinished;
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
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The snapshots in a store. Each has a place of its own below its cluster's ID:
 * {@code v1/snapshots/CLUSTER/NAME/} with {@code data}, {@code manifest.json}, which is written last
 * and makes it one, {@code manifest.sig} with the signature of the manifest's bytes if it is
 * signed, {@code pki} if the cluster's keys are kept with it, and a {@code verify-TIME.json} for
 * each time that it was looked into. The manifest names its place and the sums of {@code data} and
 * {@code pki}, so its signature is that of the whole snapshot.
 */
public final class SnapshotCatalog {

    /** Names the newest one. */
    public static final String LATEST = "latest";

    private static final String ROOT = "v1/snapshots/";
    private static final String DATA = "data";
    private static final String PKI = "pki";
    private static final String MANIFEST = "manifest.json";
    private static final String SIGNATURE = "manifest.sig";
    private static final String VERIFICATION = "verify-";
    private static final String JSON = ".json";
    private static final int LARGEST_MANIFEST = 1024 * 1024;
    private static final int SIGNATURE_BYTES = 64;
    private static final int LARGEST_PKI = 16 * 1024 * 1024;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd't'HHmmss'z'").withZone(ZoneOffset.UTC);

    private final ObjectStore store;
    private final SnapshotTrust trust;
    private final Optional<SigningKey> signer;

    /** Of a store whose snapshots are all accepted. */
    public SnapshotCatalog(ObjectStore store) {
        this(store, SnapshotTrust.ALL);
    }

    /** @param trust which snapshots are found, and which notes about them count */
    public SnapshotCatalog(ObjectStore store, SnapshotTrust trust) {
        this(store, trust, Optional.empty());
    }

    private SnapshotCatalog(ObjectStore store, SnapshotTrust trust, Optional<SigningKey> signer) {
        this.store = store;
        this.trust = trust;
        this.signer = signer;
    }

    /** The same that signs what it notes, if there is a key. */
    public SnapshotCatalog signing(Optional<SigningKey> key) {
        return new SnapshotCatalog(store, trust, key);
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
     * @param signature     of the manifest
     * @param verifications what it stood, the last one last; where signatures are checked, only
     *     what is signed
     */
    public record Entry(
            String clusterId,
            String name,
            Optional<SnapshotManifest> manifest,
            String fault,
            SignatureState signature,
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
                .filter(SnapshotCatalog::isOfSnapshot)
                .collect(Collectors.groupingBy(
                        object -> object.key().substring(0, object.key().lastIndexOf('/') + 1),
                        TreeMap::new,
                        Collectors.toList()));
        List<Entry> entries = new ArrayList<>();
        places.forEach((place, objects) -> entries.add(entry(place, objects)));
        return entries;
    }

    /** The manifests of those that are accepted. */
    public List<SnapshotManifest> accepted() {
        return entries().stream()
                .flatMap(entry -> entry.manifest().stream()
                        .filter(manifest -> trust.refusal(
                                        entry.signature(),
                                        manifest.stored().encoding().encrypted())
                                .isEmpty()))
                .toList();
    }

    private static boolean isOfSnapshot(StoredObject object) {
        return object.hasKey() && object.key().split("/").length == 5;
    }

    /** The names of objects among the snapshots that belong to none; nothing is done with them. */
    List<String> others() {
        return store.list(ROOT).stream()
                .filter(object -> !isOfSnapshot(object))
                .map(StoredObject::key)
                .toList();
    }

    private Entry entry(String place, List<StoredObject> objects) {
        String[] parts = place.split("/");
        Optional<SnapshotManifest> manifest = Optional.empty();
        String fault = "";
        SignatureState signature = SignatureState.UNSIGNED;
        List<Verification> verifications = new ArrayList<>();
        for (StoredObject object : objects) {
            String file = object.key().substring(place.length());
            try {
                if (file.equals(MANIFEST)) {
                    Optional<Published> published = bytes(object)
                            .map(bytes -> new Published(bytes, signature(place, objects)));
                    signature = published.map(this::check).orElse(signature);
                    manifest = published
                            .map(Published::parsed)
                            .map(told -> requirePlace(told, parts[2], parts[3]));
                } else if (file.startsWith(VERIFICATION) && file.endsWith(JSON)) {
                    bytes(object)
                            .filter(note -> believed(object.key(), note, objects))
                            .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                            .map(Verification::parse)
                            .ifPresent(verifications::add);
                }
            } catch (IllegalArgumentException e) {
                fault = "%s: %s".formatted(file, e.getMessage());
            }
        }
        verifications.sort(Comparator.comparing(Verification::at));
        return new Entry(parts[2], parts[3], manifest, fault, signature, verifications, objects);
    }

    /**
     * What makes a snapshot one, as it is stored.
     *
     * @param manifest  its bytes
     * @param signature of exactly these bytes, if it is signed
     */
    record Published(byte[] manifest, Optional<byte[]> signature) {

        SnapshotManifest parsed() {
            return ManifestJson.parse(new String(manifest, StandardCharsets.UTF_8));
        }

        @Override
        public String toString() {
            return "Published";
        }
    }

    /** It is written before the manifest, so a list that has that one has both. */
    private Optional<byte[]> signature(String place, List<StoredObject> objects) {
        return objects.stream().anyMatch(object -> object.key().equals(place + SIGNATURE))
                ? start(place + SIGNATURE, SIGNATURE_BYTES + 1)
                : Optional.empty();
    }

    /** Another writer of the store can write notes, too, or copy those of another snapshot. */
    private boolean believed(String key, byte[] note, List<StoredObject> objects) {
        String signature = signatureOf(key);
        return !trust.signed()
                || objects.stream().anyMatch(object -> object.key().equals(signature))
                        && trust.check(about(key, note), start(signature, SIGNATURE_BYTES + 1))
                                == SignatureState.VALID;
    }

    private static String signatureOf(String key) {
        return key.substring(0, key.length() - JSON.length()) + ".sig";
    }

    /** What the signature of a note is over: its place, a line feed, and its bytes. */
    private static byte[] about(String key, byte[] note) {
        byte[] place = (key + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] both = Arrays.copyOf(place, place.length + note.length);
        System.arraycopy(note, 0, both, place.length, note.length);
        return both;
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
        String key = place(manifest) + MANIFEST;
        return start(key, LARGEST_MANIFEST)
                .map(bytes -> new Published(
                        bytes, start(place(manifest) + SIGNATURE, SIGNATURE_BYTES + 1)))
                .filter(found -> isOf(found, manifest))
                .filter(found -> !trust.signed() || check(found) == SignatureState.VALID)
                .orElseThrow(() -> new ClusterException(
                        "the manifest of snapshot %s has changed".formatted(manifest.name()),
                        "%s was written since the command began"
                                .formatted(store.location() + " " + key),
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
        Optional<byte[]> bytes = start(object.key(), LARGEST_MANIFEST + 1);
        if (bytes.filter(all -> all.length > LARGEST_MANIFEST).isPresent()) {
            throw new IllegalArgumentException("it has more bytes than the store said");
        }
        return bytes;
    }

    /** The first bytes of an object, at most so many. */
    private Optional<byte[]> start(String key, int limit) {
        Optional<InputStream> found = store.open(key);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        try (InputStream in = found.get()) {
            return Optional.of(in.readNBytes(limit));
        } catch (IOException e) {
            throw unreadable(key, e);
        }
    }

    /**
     * Finds one by its name, the beginning of it, or {@value #LATEST}.
     *
     * @throws UsageException   if none or more than one is meant
     * @throws ClusterException if it is not accepted
     */
    public SnapshotManifest find(String word) {
        return find(word, Optional.empty(), Optional.empty()).manifest();
    }

    /**
     * The same for one of a certain cluster: {@value #LATEST} is the highest revision of one
     * cluster, and refused where it is not certain which.
     *
     * @param cluster the only one that it may be of, if one was named
     * @param own     the cluster of this node, if it is known
     */
    public SelectedSnapshot find(String word, Optional<String> cluster, Optional<String> own) {
        return new SnapshotSelection(store.location().toString(), trust, entries())
                .find(word, cluster, own);
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
                        "the keys stored with snapshot %s are missing".formatted(manifest.name()),
                        "%s has no %s".formatted(store.location(), key),
                        "choose another one: 'kjadm etcd snapshot list' shows all"));
        try (found) {
            return found.readNBytes(LARGEST_PKI);
        } catch (IOException e) {
            throw unreadable(key, e);
        }
    }

    /** The source of an object that is copied. */
    @FunctionalInterface
    interface Opening {

        InputStream open() throws IOException;
    }

    /**
     * Writes the bytes of a snapshot of another store. An earlier copy may have written them, and
     * been interrupted: what has their sum stays, and what has another one is no snapshot and goes.
     *
     * @throws ClusterException if they are not those that the manifest tells of
     */
    void copyData(SnapshotManifest manifest, Opening bytes) {
        String key = place(manifest) + DATA;
        if (!isThere(manifest, key, found -> StoredBytes.same(manifest.stored(), found))) {
            create(key, to -> {
                try (InputStream stored = bytes.open()) {
                    StoredBytes.copy(manifest, stored, to);
                }
            });
        }
    }

    /** The same of the keys beside it. */
    void copyPki(SnapshotManifest manifest, byte[] keys) {
        String key = place(manifest) + PKI;
        if (!isThere(manifest, key, found -> Arrays.equals(found.readNBytes(LARGEST_PKI), keys))) {
            create(key, to -> to.write(keys));
        }
    }

    /** Compares what is in a store already. */
    @FunctionalInterface
    private interface Comparing {

        boolean same(InputStream found) throws IOException;
    }

    private boolean isThere(SnapshotManifest manifest, String key, Comparing comparing) {
        Optional<InputStream> there = store.open(key);
        if (there.isEmpty()) {
            return false;
        }
        try (InputStream found = there.get()) {
            if (comparing.same(found)) {
                return true;
            }
        } catch (IOException e) {
            throw unreadable(key, e);
        }
        if (start(place(manifest) + MANIFEST, 1).isPresent()) {
            throw exists(key);
        }
        store.delete(key);
        return false;
    }

    /** Makes what was written a snapshot, signed if there is a key. */
    void publish(SnapshotManifest manifest, Optional<SigningKey> key) {
        byte[] text = ManifestJson.text(manifest).getBytes(StandardCharsets.UTF_8);
        publish(manifest, new Published(text, key.map(signing -> signing.sign(text))));
    }

    /** The signature comes first: there is never a manifest whose signature is still to come. */
    void publish(SnapshotManifest manifest, Published published) {
        published
                .signature()
                .ifPresent(bytes ->
                        createSame(place(manifest) + SIGNATURE, bytes, SIGNATURE_BYTES + 1));
        createSame(place(manifest) + MANIFEST, published.manifest(), LARGEST_MANIFEST);
    }

    /** One that has the same bytes already is the work of a run that was interrupted. */
    private void createSame(String key, byte[] bytes, int limit) {
        if (store.create(key, to -> to.write(bytes)) == Creation.EXISTS
                && start(key, limit)
                        .filter(there -> Arrays.equals(there, bytes))
                        .isEmpty()) {
            throw exists(key);
        }
    }

    /** Notes what a snapshot stood, or did not; of two in one second the first is enough. */
    public void note(SnapshotManifest manifest, Verification verification) {
        byte[] text = verification.text().getBytes(StandardCharsets.UTF_8);
        String key = place(manifest) + VERIFICATION + stamp(verification.at()) + "-"
                + verification.level().word() + JSON;
        signer.map(known -> known.sign(about(key, text)))
                .ifPresent(signature -> store.create(signatureOf(key), to -> to.write(signature)));
        store.create(key, to -> to.write(text));
    }

    private void create(String key, Content content) {
        if (store.create(key, content) == Creation.EXISTS) {
            throw exists(key);
        }
    }

    private ClusterException exists(String key) {
        return new ClusterException(
                "%s has %s already".formatted(store.location(), key),
                "another program has written it, or the clock went back",
                "run the command again");
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

    /** Whether a snapshot is one that may be found here; true for what is none. */
    boolean accepts(Entry entry) {
        return entry.manifest()
                .flatMap(manifest -> trust.refusal(
                        entry.signature(), manifest.stored().encoding().encrypted()))
                .isEmpty();
    }

    /** Writes that have not ended; they may be going on. */
    public List<Unfinished> unfinished() {
        return store.unfinished(ROOT);
    }

    /** Removes what an unfinished write has left. */
    void abandon(Unfinished write) {
        store.abandon(write);
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
