package io.kjadm.core.restore;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.DataInUse;
import io.kjadm.core.etcd.StoredMember;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.recover.DatabaseEvidence;
import io.kjadm.etcd.snapshot.SnapshotVerifier;
import io.kjadm.etcd.snapshot.SnapshotVerifier.Verdict;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Looks into a member's database: through its etcd if that runs, as a file that is written to
 * cannot be read; else as it lies on the disk.
 */
public final class DatabaseReader {

    private final HostFiles files;

    public DatabaseReader(HostFiles files) {
        this.files = files;
    }

    /** What was found, and the members that it lists. */
    public record Look(DatabaseEvidence evidence, List<Member> members) {

        private static Look none(DatabaseEvidence evidence) {
            return new Look(evidence, List.of());
        }
    }

    /** Where it is. */
    public static Path file(Path dataDir) {
        return dataDir.resolve(KubernetesPaths.ETCD_MEMBER).resolve("snap/db");
    }

    /**
     * The members that a database lists; none if there is none, or it does not tell.
     *
     * @param directory of a member, in a data directory or renamed
     */
    public static List<Member> membersIn(HostFiles files, Path directory) {
        DatabaseReader reader = new DatabaseReader(files);
        return SetAsideData.databases(directory)
                .filter(files::exists)
                .map(database ->
                        reader.stored(database, directory.resolveSibling("")).members())
                .findFirst()
                .orElse(List.of());
    }

    /** As the member behind a client URL has it now; that needs no quorum. */
    public Look served(EtcdCluster cluster, URI url) {
        SnapshotVerifier verifier = new SnapshotVerifier(OutputStream.nullOutputStream());
        try {
            cluster.snapshot(url, verifier);
        } catch (EtcdCallException e) {
            return Look.none(new DatabaseEvidence.Unread("etcd did not show it: " + e.text()));
        } catch (IOException e) {
            throw new IllegalStateException("nothing is written", e);
        }
        return look(verifier);
    }

    /**
     * As it lies on the disk, if nobody writes to it meanwhile: an etcd that was started without a
     * quorum answers nobody, and writes nothing once it has applied what its log commits.
     */
    public Look stored(Path dataDir) {
        return stored(file(dataDir), dataDir);
    }

    private Look stored(Path file, Path dataDir) {
        Optional<Instant> written = files.modified(file);
        Look look = read(file);
        boolean still = written.isPresent() && files.modified(file).equals(written);
        // what is seen of one that is written to may be of two moments
        return !files.exists(file)
                ? look
                : new DataInUse(files)
                        .by(dataDir)
                        .filter(_ -> !still || !(look.evidence() instanceof DatabaseEvidence.Whole))
                        .map(user -> Look.none(
                                new DatabaseEvidence.Unread(user + " and does not answer")))
                        .orElse(look);
    }

    /** What a file is that nothing writes to: a database or a snapshot. */
    public DatabaseEvidence unused(Path file) {
        return read(file).evidence();
    }

    private Look read(Path file) {
        if (!files.exists(file)) {
            return Look.none(new DatabaseEvidence.Damaged("it is missing"));
        }
        SnapshotVerifier verifier = new SnapshotVerifier(OutputStream.nullOutputStream());
        try (InputStream database = files.open(file)) {
            database.transferTo(verifier);
        } catch (IOException | HostException e) {
            return Look.none(new DatabaseEvidence.Damaged("it cannot be read: " + e.getMessage()));
        }
        return look(verifier);
    }

    private static Look look(SnapshotVerifier verifier) {
        return switch (verifier.verdict()) {
            case Verdict.Damaged(String why) -> Look.none(new DatabaseEvidence.Damaged(why));
            case Verdict.Whole whole ->
                new Look(
                        new DatabaseEvidence.Whole(
                                whole.content().revision(),
                                whole.content().raft().index(),
                                whole.content().raft().term(),
                                whole.content().databaseBytes()),
                        StoredMember.list(verifier.members()));
        };
    }
}
