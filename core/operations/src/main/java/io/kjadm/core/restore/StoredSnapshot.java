package io.kjadm.core.restore;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.snapshot.SnapshotImport;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotToRestore;

import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A snapshot of a store or a file, to be restored.
 *
 * @param snapshot that was chosen
 * @param command  that restores it
 * @param raise    by how much the revision is to rise at least; empty for the usual
 * @param stored   other snapshots that may be of the same cluster, and are accepted
 */
public record StoredSnapshot(
        SnapshotToRestore snapshot,
        String command,
        OptionalLong raise,
        List<SnapshotManifest> stored)
        implements RestoreSource {

    public StoredSnapshot {
        stored = List.copyOf(stored);
    }

    /** One alone. */
    public StoredSnapshot(SnapshotToRestore snapshot, String command) {
        this(snapshot, command, OptionalLong.empty(), List.of());
    }

    private SnapshotManifest manifest() {
        return snapshot.manifest();
    }

    @Override
    public String name() {
        return manifest().name();
    }

    @Override
    public String title() {
        return "snapshot " + manifest().name();
    }

    @Override
    public List<String> describe() {
        return snapshot.described(
                "Snapshot %s: revision %d, taken %s of member %s of cluster %s, etcd %s"
                        .formatted(
                                manifest().name(),
                                manifest().plain().content().revision(),
                                manifest().taken().truncatedTo(ChronoUnit.SECONDS),
                                manifest().origin().memberName(),
                                manifest().origin().clusterId(),
                                manifest().origin().etcd()));
    }

    /** What other tools took tells of no cluster. */
    @Override
    public Optional<String> clusterId() {
        return Optional.of(manifest().origin().clusterId())
                .filter(Predicate.not(SnapshotImport.CLUSTER::equals));
    }

    @Override
    public OptionalLong revision() {
        return OptionalLong.of(manifest().plain().content().revision());
    }

    /** Those of the cluster's newest snapshot that tells them. */
    @Override
    public Optional<Listed> listed() {
        return clusterId()
                .flatMap(id -> Stream.concat(Stream.of(manifest()), stored.stream())
                        .filter(other -> other.origin().clusterId().equals(id))
                        .filter(other -> !other.origin().members().isEmpty())
                        .map(other -> new Listed(
                                other.plain().content().raft().index(),
                                other.origin().members()))
                        .max(Comparator.comparingLong(Listed::index)));
    }

    @Override
    public OptionalLong bytes(HostFiles files) {
        return OptionalLong.of(manifest().plain().bytes());
    }

    @Override
    public void fetch(HostFiles files, Path file) {
        snapshot.reader().fetch(manifest(), files, file);
    }
}
