package io.kjadm.core.snapshot;

import static io.kjadm.core.snapshot.SnapshotObjects.DATA;
import static io.kjadm.core.snapshot.SnapshotObjects.JSON;
import static io.kjadm.core.snapshot.SnapshotObjects.LARGEST_MANIFEST;
import static io.kjadm.core.snapshot.SnapshotObjects.LARGEST_SIGNATURE;
import static io.kjadm.core.snapshot.SnapshotObjects.MANIFEST;
import static io.kjadm.core.snapshot.SnapshotObjects.PKI;
import static io.kjadm.core.snapshot.SnapshotObjects.ROOT;
import static io.kjadm.core.snapshot.SnapshotObjects.SIGNATURE;
import static io.kjadm.core.snapshot.SnapshotObjects.VERIFICATION;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.snapshot.SnapshotManifest.Stored;
import io.kjadm.core.snapshot.sign.SignatureState;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.core.snapshot.sign.SnapshotTrust;
import io.kjadm.etcd.CommonReason;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Content;
import io.kjadm.store.ObjectStore.StoredObject;
import io.kjadm.store.ObjectStore.Unfinished;
import io.kjadm.store.StoreException;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

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

    private static final int LARGEST_PKI = 16 * 1024 * 1024;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd't'HHmmss'z'").withZone(ZoneOffset.UTC);

    private final ObjectStore store;
    private final SnapshotObjects objects;
    private final CatalogReader reader;
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
        this.objects = new SnapshotObjects(store);
        this.reader = new CatalogReader(objects, trust);
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
        return reader.entries();
    }

    /** The names of objects among the snapshots that belong to none; nothing is done with them. */
    List<String> others() {
        return reader.others();
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

    /**
     * The manifest of a snapshot and its signature as they are stored, for a copy.
     *
     * @throws ClusterException if they are not those that were read before
     */
    Published published(SnapshotManifest manifest) {
        return reader.published(manifest);
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
     * @return whether the store has confirmed them by their checksum
     * @throws StoreException if they could not be written whole
     */
    boolean write(String clusterId, String name, Content bytes) {
        return objects.create(SnapshotObjects.place(clusterId, name) + DATA, bytes);
    }

    /** Writes the keys beside a snapshot that is not published yet. */
    void writePki(String clusterId, String name, Content bytes) {
        objects.create(SnapshotObjects.place(clusterId, name) + PKI, bytes);
    }

    /**
     * The stored bytes of the keys beside a snapshot.
     *
     * @throws ClusterException if they are gone
     */
    byte[] pki(SnapshotManifest manifest) {
        String key = SnapshotObjects.place(manifest) + PKI;
        InputStream found = store.open(key)
                .orElseThrow(() -> new ClusterException(
                        "the keys stored with snapshot %s are missing".formatted(manifest.name()),
                        "%s has no %s".formatted(store.location(), key),
                        "choose another one: 'kjadm etcd snapshot list' shows all"));
        try (found) {
            return found.readNBytes(LARGEST_PKI);
        } catch (IOException e) {
            throw SnapshotObjects.unreadable(key, e);
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
        String key = SnapshotObjects.place(manifest) + DATA;
        if (!objects.isThere(manifest, key, found -> StoredBytes.same(manifest.stored(), found))) {
            objects.create(key, to -> {
                try (InputStream stored = bytes.open()) {
                    StoredBytes.copy(manifest, stored, to);
                }
            });
        }
    }

    /** The same of the keys beside it. */
    void copyPki(SnapshotManifest manifest, byte[] keys) {
        String key = SnapshotObjects.place(manifest) + PKI;
        if (!objects.isThere(
                manifest, key, found -> Arrays.equals(found.readNBytes(LARGEST_PKI), keys))) {
            objects.create(key, to -> to.write(keys));
        }
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
                .ifPresent(bytes -> objects.createSame(
                        SnapshotObjects.place(manifest) + SIGNATURE, bytes, LARGEST_SIGNATURE));
        objects.createSame(
                SnapshotObjects.place(manifest) + MANIFEST, published.manifest(), LARGEST_MANIFEST);
    }

    /**
     * Sees that a snapshot that was just published has its data. A copy uses what an earlier one
     * has left, and a prune may have removed that before the manifest was there; so may one whose
     * clock is a day ahead.
     *
     * @throws ClusterException if it has none; it is no snapshot then
     */
    void requireData(SnapshotManifest manifest) {
        String place = SnapshotObjects.place(manifest);
        if (objects.start(place + DATA, 1).isEmpty()) {
            store.delete(place + MANIFEST);
            throw new ClusterException(
                    CommonReason.DAMAGED,
                    "snapshot %s is not stored".formatted(manifest.name()),
                    "another program has removed its data from %s before its manifest was there"
                            .formatted(store.location()),
                    "run the command again; if that repeats, compare the clocks of the machines that prune");
        }
    }

    /** Notes what a snapshot stood, or did not; of two in one second the first is enough. */
    public void note(SnapshotManifest manifest, Verification verification) {
        byte[] text = verification.text().getBytes(StandardCharsets.UTF_8);
        String key = SnapshotObjects.place(manifest) + VERIFICATION + stamp(verification.at()) + "-"
                + verification.level().word() + JSON;
        signer.map(known -> known.sign(SnapshotObjects.about(key, text)))
                .ifPresent(signature ->
                        store.create(SnapshotObjects.signatureOf(key), to -> to.write(signature)));
        store.create(key, to -> to.write(text));
    }

    /** The same, as far as the store takes it: whoever may only read learns the result all the same. */
    public void note(SnapshotManifest manifest, Verification verification, Reporter out) {
        try {
            note(manifest, verification);
        } catch (StoreException e) {
            out.warn("the result of this verification of snapshot %s is not in the store: %s"
                    .formatted(manifest.name(), e.getMessage()));
        }
    }

    /**
     * The stored bytes of a snapshot.
     *
     * @throws ClusterException if they are gone
     */
    InputStream open(SnapshotManifest manifest) {
        return store.open(SnapshotObjects.place(manifest) + DATA)
                .orElseThrow(() -> new ClusterException(
                        "snapshot %s has no data".formatted(manifest.name()),
                        "only its manifest is in %s".formatted(store.location()),
                        "choose another one: 'kjadm etcd snapshot list' shows all"));
    }

    /** The file with the snapshot itself, if it lies so on this machine. */
    Optional<Path> file(SnapshotManifest manifest) {
        return manifest.stored().encoding().equals(SnapshotEncoding.NONE)
                ? store.file(SnapshotObjects.place(manifest) + DATA)
                : Optional.empty();
    }

    /**
     * Removes one, its manifest first: what is left then is no snapshot any more. One that had no
     * manifest stays if a copy has made it a snapshot since.
     *
     * @return whether it was removed
     */
    boolean remove(Entry entry) {
        String place = SnapshotObjects.place(entry.clusterId(), entry.name());
        if (entry.manifest().isEmpty() && objects.start(place + MANIFEST, 1).isPresent()) {
            return false;
        }
        entry.objects().stream()
                .map(StoredObject::key)
                .sorted(Comparator.comparing(key -> !key.endsWith("/" + MANIFEST)))
                .forEach(store::delete);
        return true;
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

    /** Reads the stored bytes of a snapshot, never more than its manifest tells of. */
    private static final class StoredBytes {

        private static final int BUFFER = 256 * 1024;

        private StoredBytes() {}

        /**
         * Passes them on.
         *
         * @throws ClusterException if they are not those that the manifest tells of; what was passed on
         *     is of no use then
         */
        static void copy(SnapshotManifest manifest, InputStream stored, OutputStream to)
                throws IOException {
            Optional<String> fault = fault(manifest.stored(), stored, to);
            if (fault.isPresent()) {
                throw new ClusterException(
                        CommonReason.DAMAGED,
                        "snapshot %s is damaged".formatted(manifest.name()),
                        fault.get(),
                        "choose another one: 'kjadm etcd snapshot list' shows all, 'verify' checks one");
            }
        }

        /** Whether bytes are those of a snapshot. */
        static boolean same(Stored told, InputStream stored) throws IOException {
            return fault(told, stored, OutputStream.nullOutputStream()).isEmpty();
        }

        private static Optional<String> fault(Stored told, InputStream stored, OutputStream to)
                throws IOException {
            SummedOutput sum = new SummedOutput(to);
            byte[] buffer = new byte[BUFFER];
            for (int read; sum.size() <= told.bytes() && (read = stored.read(buffer)) != -1; ) {
                sum.write(buffer, 0, read);
            }
            return told.sumFault(sum.size(), sum.sha256Hex());
        }
    }
}
