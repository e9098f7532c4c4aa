package io.kjadm.core.snapshot;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.snapshot.SnapshotManifest.Origin;
import io.kjadm.core.snapshot.SnapshotManifest.Plain;
import io.kjadm.core.snapshot.SnapshotManifest.Stored;
import io.kjadm.core.snapshot.foreign.ForeignSnapshot;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.snapshot.SnapshotContent;
import io.kjadm.etcd.snapshot.SnapshotVerifier;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;
import io.kjadm.store.StoreException;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Takes a snapshot of another tool into a store. It is looked into while it is read, and becomes
 * one only when all of it was found to be whole. One without a sum gets it here.
 */
public final class SnapshotImport {

    /** Stands for the ID of a cluster that no file tells. */
    public static final String CLUSTER = "imported";

    /** Label: the tool that has left it. */
    static final String FORMAT = "imported-from";
    /** Label: the name of its file. */
    static final String FILE = "imported-file";

    private static final String AREA = "snapshot";
    private static final int BUFFER = 64 * 1024;
    /** Twice what etcd recommends: an archive of some kilobytes may unpack to anything. */
    private static final long LARGEST = 16L << 30;

    private final SnapshotCatalog catalog;
    private final HostFiles files;
    private final RandomGenerator random;
    private final Reporter out;

    public SnapshotImport(
            SnapshotCatalog catalog, HostFiles files, RandomGenerator random, Reporter out) {
        this.catalog = catalog;
        this.files = files;
        this.random = random;
        this.out = out;
    }

    /**
     * How it is taken in.
     *
     * @param unsummed whether one without a sum is taken
     * @param labels   of the operator's
     */
    public record Terms(SnapshotEncoding encoding, boolean unsummed, Map<String, String> labels) {}

    /**
     * Takes it in.
     *
     * @throws HostException  if it is not whole; there is none in the store then
     * @throws UsageException if it has no sum, and that was not agreed to
     */
    public SnapshotManifest take(ForeignSnapshot foreign, Terms terms) {
        String name = "%s-%04x"
                .formatted(
                        SnapshotCatalog.stamp(foreign.taken()),
                        random.nextInt(1 << Character.SIZE));
        out.step(AREA, "Importing %s as snapshot %s".formatted(foreign.describe(), name));
        foreign.remarks().forEach(out::warn);
        Passage passage = new Passage(foreign, terms);
        try {
            out.during(AREA, "Reading " + foreign.file(), () -> {
                catalog.write(CLUSTER, name, passage::carry);
                return true;
            });
        } catch (StoreException e) {
            throw new HostException(
                    "%s is not imported".formatted(foreign.file()),
                    e.why(),
                    "check the file and the store, then run the command again",
                    e);
        }
        SnapshotManifest manifest = new SnapshotManifest(
                name,
                new Origin(
                        CLUSTER,
                        MemberId.NONE,
                        foreign.format().word(),
                        foreign.etcd().orElseGet(() -> etcd(passage.plain.content()))),
                foreign.taken(),
                passage.plain,
                passage.stored,
                List.of(),
                labels(foreign, terms));
        catalog.publish(manifest);
        out.step(
                AREA,
                "Snapshot %s: revision %d, %d bytes, its tree is whole; sha256 %s"
                        .formatted(
                                name,
                                passage.plain.content().revision(),
                                passage.plain.bytes(),
                                passage.plain.sha256()));
        return manifest;
    }

    /** As the database shows: 3.6 tells its version, 3.5 has a term and earlier ones do not. */
    private static EtcdVersion etcd(SnapshotContent content) {
        return content.storageVersion()
                .orElseGet(() -> new EtcdVersion(3, content.raft().term() > 0 ? 5 : 4, 0));
    }

    private static Map<String, String> labels(ForeignSnapshot foreign, Terms terms) {
        Map<String, String> labels = new TreeMap<>(terms.labels());
        labels.put(FORMAT, foreign.format().word());
        labels.put(FILE, foreign.file().getFileName().toString());
        return labels;
    }

    /** The way of the bytes from the file to the store. */
    private final class Passage {

        private final ForeignSnapshot foreign;
        private final Terms terms;
        private final MessageDigest database = sha256();
        private long size;
        private Plain plain;
        private Stored stored;

        Passage(ForeignSnapshot foreign, Terms terms) {
            this.foreign = foreign;
            this.terms = terms;
        }

        void carry(OutputStream object) throws IOException {
            SummedOutput sum = new SummedOutput(object);
            try (InputStream bytes = foreign.open(files);
                    SnapshotVerifier snapshot =
                            new SnapshotVerifier(terms.encoding().encode(sum))) {
                byte[] start = bytes.readNBytes(SnapshotVerifier.START_BYTES);
                requireDatabase(start);
                pass(start, start.length, snapshot);
                byte[] buffer = new byte[BUFFER];
                for (int read; (read = bytes.read(buffer)) != -1; ) {
                    pass(buffer, read, snapshot);
                }
                if (!SnapshotVerifier.summed(size)) {
                    requireAgreement();
                    snapshot.write(database.digest());
                }
                plain = new Plain(
                        content(snapshot.verdict()), snapshot.size(), snapshot.sha256Hex());
            }
            stored = new Stored(sum.size(), sum.sha256Hex(), terms.encoding());
        }

        private void pass(byte[] bytes, int length, SnapshotVerifier snapshot) throws IOException {
            size += length;
            if (size > LARGEST) {
                throw refused("it has more than %d GiB".formatted(LARGEST >> 30));
            }
            database.update(bytes, 0, length);
            snapshot.write(bytes, 0, length);
        }

        private void requireDatabase(byte[] start) {
            if (!SnapshotVerifier.begins(start)) {
                throw refused("it does not begin as a database of etcd does");
            }
        }

        private void requireAgreement() {
            if (!terms.unsummed()) {
                throw new UsageException(
                        "%s has no SHA-256 at its end".formatted(foreign.file()),
                        "it is a copy of a database, or its end is missing: nothing proves that its bytes are those that etcd wrote",
                        "look for one that was taken with a snapshot; to have this one all the same, as its tree is looked at anyway, add --skip-hash-check");
            }
        }

        private SnapshotContent content(Verdict verdict) {
            return switch (verdict) {
                case Verdict.Whole(SnapshotContent content, boolean _) -> content;
                case Verdict.Damaged(String why) -> throw refused(why);
            };
        }

        private HostException refused(String why) {
            return new HostException(
                    "%s is not imported".formatted(foreign.file()),
                    why,
                    "choose another one; nothing was kept of it");
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
