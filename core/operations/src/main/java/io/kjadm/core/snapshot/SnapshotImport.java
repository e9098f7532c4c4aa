package io.kjadm.core.snapshot;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.snapshot.foreign.ForeignSnapshot;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.store.StoreException;

import java.util.Map;
import java.util.Optional;
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
     * @param key      signs it, if there is one
     */
    public record Terms(
            SnapshotEncoding encoding,
            boolean unsummed,
            Map<String, String> labels,
            Optional<SigningKey> key) {}

    /**
     * Takes it in.
     *
     * @throws HostException  if it is not whole; there is none in the store then
     * @throws UsageException if it has no sum, and that was not agreed to
     */
    public SavedSnapshot take(ForeignSnapshot foreign, Terms terms) {
        String name = "%s-%04x"
                .formatted(
                        SnapshotCatalog.stamp(foreign.taken()),
                        random.nextInt(1 << Character.SIZE));
        out.step(AREA, "Importing %s as snapshot %s".formatted(foreign.describe(), name));
        foreign.remarks().forEach(out::warn);
        ForeignPassage passage =
                new ForeignPassage(foreign, files, terms.encoding(), terms.unsummed());
        boolean confirmed;
        try {
            confirmed = out.during(
                    AREA,
                    "Reading " + foreign.file(),
                    () -> catalog.write(CLUSTER, name, passage::carry));
        } catch (StoreException e) {
            throw new HostException(
                    "%s is not imported".formatted(foreign.file()),
                    e.why(),
                    "check the file and the store, then run the command again",
                    e);
        }
        SnapshotManifest manifest = passage.manifest(name, labels(foreign, terms));
        catalog.publish(manifest, terms.key());
        catalog.requireData(manifest);
        out.step(
                AREA,
                "Snapshot %s: revision %d, %d bytes, its tree is whole; sha256 %s"
                        .formatted(
                                name,
                                manifest.plain().content().revision(),
                                manifest.plain().bytes(),
                                manifest.plain().sha256()));
        return new SavedSnapshot(manifest, confirmed);
    }

    private static Map<String, String> labels(ForeignSnapshot foreign, Terms terms) {
        Map<String, String> labels = new TreeMap<>(terms.labels());
        labels.put(FORMAT, foreign.format().word());
        labels.put(FILE, foreign.file().getFileName().toString());
        return labels;
    }
}
