package io.kjadm.core.snapshot;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.snapshot.SnapshotManifest.Bundle;
import io.kjadm.core.snapshot.pki.PkiArchive;
import io.kjadm.core.snapshot.pki.PkiFile;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;

/** The keys of a cluster beside its snapshot: an archive, compressed and encrypted. */
public final class SnapshotPki {

    private final SnapshotCatalog catalog;

    public SnapshotPki(SnapshotCatalog catalog) {
        this.catalog = catalog;
    }

    /** Writes them, as part of a snapshot that is not published yet; in plain they never lie there. */
    Bundle write(String clusterId, String name, List<PkiFile> files, List<String> recipients) {
        if (recipients.isEmpty()) {
            throw new IllegalStateException("keys without a recipient");
        }
        Bundle[] written = new Bundle[1];
        catalog.writePki(clusterId, name, object -> {
            SummedOutput sum = new SummedOutput(object);
            try (OutputStream encoded = encoding(recipients).encode(sum)) {
                PkiArchive.write(files, encoded);
            }
            written[0] = new Bundle(sum.size(), sum.sha256Hex());
        });
        return written[0];
    }

    private static SnapshotEncoding encoding(List<String> recipients) {
        return new SnapshotEncoding(true, recipients);
    }

    /**
     * Reads them.
     *
     * @param identities secret keys, of which one fits
     * @throws UsageException   if the snapshot has none
     * @throws HostException    if no identity fits
     * @throws ClusterException if they are not what was written, or the manifest names no recipient
     */
    public List<PkiFile> read(SnapshotManifest manifest, List<String> identities) {
        Bundle told = manifest.stored()
                .pki()
                .orElseThrow(() -> new UsageException(
                        "snapshot %s has no keys stored with it".formatted(manifest.name()),
                        "it was taken without --with-pki",
                        "'kjadm etcd snapshot list' shows which ones have keys"));
        List<String> recipients = manifest.stored().encoding().recipients();
        if (recipients.isEmpty()) {
            throw damaged(
                    manifest,
                    "they are not encrypted, and 'snapshot save' never stores them unencrypted",
                    null);
        }
        byte[] stored = catalog.pki(manifest);
        requireWhole(manifest, told, stored);
        try (InputStream plain =
                encoding(recipients).decode(new ByteArrayInputStream(stored), identities)) {
            return PkiArchive.read(plain);
        } catch (IOException e) {
            throw damaged(manifest, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Refuses stored bytes that are not those that were written.
     *
     * @throws ClusterException if they are not
     */
    static void requireWhole(SnapshotManifest manifest, Bundle told, byte[] stored) {
        fault(told, stored).ifPresent(why -> {
            throw damaged(manifest, why, null);
        });
    }

    /** What is wrong with the stored bytes, if anything. */
    static Optional<String> fault(Bundle told, byte[] stored) {
        SummedOutput sum = new SummedOutput(OutputStream.nullOutputStream());
        try {
            sum.write(stored, 0, stored.length);
        } catch (IOException e) {
            throw new IllegalStateException("nothing is written", e);
        }
        return told.equals(new Bundle(sum.size(), sum.sha256Hex()))
                ? Optional.empty()
                : Optional.of("the bytes of its keys in the store are not those that were written");
    }

    private static ClusterException damaged(SnapshotManifest manifest, String why, Exception e) {
        return new ClusterException(
                "the keys of snapshot %s cannot be read".formatted(manifest.name()),
                why,
                "choose another one: 'kjadm etcd snapshot list' shows all",
                e);
    }
}
