package io.kjadm.core.snapshot;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.StoredMember;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.snapshot.SnapshotManifest.Origin;
import io.kjadm.core.snapshot.SnapshotManifest.Plain;
import io.kjadm.core.snapshot.SnapshotManifest.Stored;
import io.kjadm.core.snapshot.foreign.ForeignSnapshot;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Sha256;
import io.kjadm.etcd.snapshot.SnapshotContent;
import io.kjadm.etcd.snapshot.SnapshotVerifier;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;

/**
 * The way of a snapshot's bytes out of another tool's file. They are looked into meanwhile, and one
 * without a sum gets it.
 */
final class ForeignPassage {

    private static final int BUFFER = 256 * 1024;
    /** Twice what etcd recommends: an archive of some kilobytes may unpack to anything. */
    private static final long LARGEST = 16L << 30;

    private final ForeignSnapshot foreign;
    private final HostFiles files;
    private final SnapshotEncoding encoding;
    private final boolean unsummed;
    private final MessageDigest database = Sha256.digest();
    private byte[] addedSum = new byte[0];
    private long size;
    private Plain plain;
    private List<Member> members = List.of();
    private Stored stored;

    /** @param unsummed whether one without a sum is taken */
    ForeignPassage(
            ForeignSnapshot foreign, HostFiles files, SnapshotEncoding encoding, boolean unsummed) {
        this.foreign = foreign;
        this.files = files;
        this.encoding = encoding;
        this.unsummed = unsummed;
    }

    /**
     * Reads all of it.
     *
     * @throws HostException  if it is not whole
     * @throws UsageException if it has no sum, and that was not agreed to
     */
    void carry(OutputStream object) throws IOException {
        SummedOutput sum = new SummedOutput(object);
        try (InputStream bytes = foreign.open(files);
                SnapshotVerifier snapshot = new SnapshotVerifier(encoding.encode(sum))) {
            byte[] start = bytes.readNBytes(SnapshotVerifier.START_BYTES);
            requireDatabase(start);
            pass(start, start.length, snapshot);
            byte[] buffer = new byte[BUFFER];
            for (int read; (read = bytes.read(buffer)) != -1; ) {
                pass(buffer, read, snapshot);
            }
            if (!SnapshotVerifier.summed(size)) {
                requireAgreement();
                addedSum = database.digest();
                snapshot.write(addedSum);
            }
            members = StoredMember.list(snapshot.members());
            plain = new Plain(content(snapshot.verdict()), snapshot.size(), snapshot.sha256Hex());
        }
        stored = new Stored(sum.size(), sum.sha256Hex(), encoding);
    }

    private void pass(byte[] bytes, int length, SnapshotVerifier snapshot) throws IOException {
        size += length;
        if (size > LARGEST) {
            throw refused("it has more than %d GiB".formatted(LARGEST >> 30));
        }
        if (unsummed) {
            database.update(bytes, 0, length);
        }
        snapshot.write(bytes, 0, length);
    }

    private void requireDatabase(byte[] start) {
        if (!SnapshotVerifier.begins(start)) {
            throw refused("it does not begin as a database of etcd does");
        }
    }

    private void requireAgreement() {
        if (!unsummed) {
            throw new UsageException(
                    "%s has no SHA-256 at its end".formatted(foreign.file()),
                    "it is a copy of a database, or its end is missing: nothing proves that its bytes are those that etcd wrote",
                    "use one that was taken with a snapshot; to accept this one, whose tree is checked in any case, add --skip-hash-check");
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
                "snapshot %s is damaged".formatted(foreign.file()),
                why,
                "choose another one; nothing was stored");
    }

    /** Once all of it was read. */
    Plain plain() {
        return plain;
    }

    /** The sum that it did not have, or no bytes. */
    byte[] addedSum() {
        return addedSum.clone();
    }

    /** What is told of it, once all of it was read. */
    SnapshotManifest manifest(String name, Map<String, String> labels) {
        return new SnapshotManifest(
                name,
                new Origin(
                        SnapshotImport.CLUSTER,
                        MemberId.NONE,
                        foreign.format().word(),
                        foreign.etcd().orElseGet(() -> etcd(plain.content())),
                        members),
                foreign.taken(),
                plain,
                stored,
                List.of(),
                labels);
    }

    /** As the database shows: 3.6 tells its version, 3.5 has a term and earlier ones do not. */
    private static EtcdVersion etcd(SnapshotContent content) {
        return content.storageVersion()
                .orElseGet(() -> new EtcdVersion(3, content.raft().term() > 0 ? 5 : 4, 0));
    }
}
