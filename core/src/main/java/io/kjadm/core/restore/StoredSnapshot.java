package io.kjadm.core.restore;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.snapshot.SnapshotImport;
import io.kjadm.core.snapshot.SnapshotManifest;
import io.kjadm.core.snapshot.SnapshotToRestore;

import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * A snapshot of a store or a file, to be restored.
 *
 * @param snapshot that was chosen
 * @param command  that restores it
 */
public record StoredSnapshot(SnapshotToRestore snapshot, String command) implements RestoreSource {

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

    @Override
    public OptionalLong bytes(HostFiles files) {
        return OptionalLong.of(manifest().plain().bytes());
    }

    @Override
    public void fetch(HostFiles files, Path file) {
        snapshot.reader().fetch(manifest(), files, file);
    }
}
