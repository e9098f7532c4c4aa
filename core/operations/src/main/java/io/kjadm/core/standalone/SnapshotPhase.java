package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.check.DiskProbe;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.restore.RestorePlan;
import io.kjadm.core.restore.RestoreSource;

import java.util.Optional;

/**
 * {@code snapshot}: that of which the member's data are to be made is on this machine, and whole,
 * before anything else is changed. Once a run has begun what it has fetched counts, whether the
 * snapshot is named again or not.
 */
record SnapshotPhase(HostFiles files, DiskProbe disk) implements Phase<EtcdRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "snapshot",
                "Fetch the snapshot to restore, and verify it",
                EtcdPhaseFlags.SNAPSHOT);
    }

    @Override
    public boolean applies(EtcdRun run) {
        return run.snapshot().isPresent() || files.exists(run.paths().fetchedSnapshotName());
    }

    @Override
    public EtcdRun run(EtcdRun run, Reporter out) {
        EtcdHostPaths paths = run.paths();
        Optional<String> fetched = files.read(paths.fetchedSnapshotName())
                .map(SnapshotData.Fetched::parse)
                .map(SnapshotData.Fetched::name);
        if (!run.resumes() && fetched.isPresent()) {
            files.deleteTree(paths.restoreDir());
            fetched = Optional.empty();
        }
        if (run.snapshot().isEmpty()) {
            return run;
        }
        RestoreSource source = run.snapshot().get();
        fetched.filter(name -> !name.equals(source.name())).ifPresent(name -> {
            throw new UsageException(
                    "this machine's member is to get the data of snapshot " + name,
                    "an unfinished 'kjadm etcd init' started with it",
                    "name that one or none, or run 'kjadm etcd reset' first");
        });
        if (fetched.isEmpty()) {
            if (SnapshotData.isThere(files, run)) {
                throw new HostException(
                        "this machine's etcd has data already",
                        "a 'kjadm etcd init' without a snapshot created it",
                        "run 'kjadm etcd reset' first");
            }
            RestorePlan.requireSpace(source, run.settings().directories().data(), files, disk);
            source.describe().forEach(line -> out.step("snapshot", line));
            files.createDirectory(paths.restoreDir(), FileMode.PRIVATE_DIRECTORY);
            source.fetch(files, paths.fetchedSnapshot());
            files.write(
                    paths.fetchedSnapshotName(),
                    SnapshotData.Fetched.of(source).text(),
                    FileMode.OWNER_ONLY);
        }
        return run;
    }
}
