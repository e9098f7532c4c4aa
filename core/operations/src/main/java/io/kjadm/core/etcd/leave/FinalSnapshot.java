package io.kjadm.core.etcd.leave;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.SnapshotSaver;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.recover.StoppedMember;
import io.kjadm.core.snapshot.SnapshotStores;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;

import java.net.URI;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.stream.Collectors;

/** Leaves the database of a cluster that ends with this reset in a place that no reset cleans. */
public final class FinalSnapshot {

    /** Where snapshots are left; readable for root only, as they hold every Secret. */
    public static final Path DIRECTORY = SnapshotStores.DEFAULT;

    private static final String AREA = "reset";
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final Path directory;
    private final HostFiles files;
    private final Waiter clock;
    private final ResetJournal journal;
    private final Reporter out;

    /** @param journal in which the file is before it is written */
    public FinalSnapshot(HostFiles files, Waiter clock, ResetJournal journal, Reporter out) {
        this(DIRECTORY, files, clock, journal, out);
    }

    /**
     * @param directory where it is left
     * @param journal   in which the file is before it is written
     */
    public FinalSnapshot(
            Path directory, HostFiles files, Waiter clock, ResetJournal journal, Reporter out) {
        this.directory = directory;
        this.files = files;
        this.clock = clock;
        this.journal = journal;
        this.out = out;
    }

    /**
     * Takes it; one that an interrupted run has taken is replaced, as etcd went on serving since.
     *
     * @throws ClusterException if it could not be taken whole; nothing is left of it then
     */
    public void take(EtcdCluster cluster, Member member, LocalEtcdState etcd) {
        Path file = journal.entry().flatMap(ResetEntry::snapshot).orElseGet(this::newFile);
        journal.enterSnapshot(file);
        new SnapshotSaver(files, out, AREA).save(cluster, member, etcd.ownClientUrls(), file);
        tell(file, member, etcd);
    }

    /**
     * What the data of a member that has stopped have and its cluster's last snapshot lacks, as a
     * clause; empty if that is nothing, or if no snapshot was taken as the cluster goes on without
     * the member.
     *
     * @param member the directory
     */
    public Optional<String> lacks(Path member) {
        return journal.entry()
                .flatMap(ResetEntry::snapshot)
                .flatMap(snapshot -> StoppedMember.lackingIn(snapshot, files, member));
    }

    private Path newFile() {
        return directory.resolve("etcd-%s-%s.db"
                .formatted(
                        journal.entry().flatMap(ResetEntry::clusterId).orElse("unknown"),
                        STAMP.format(clock.now())));
    }

    private void tell(Path file, Member member, LocalEtcdState etcd) {
        String urls =
                member.peerUrls().stream().map(URI::toString).collect(Collectors.joining(","));
        String initial = member.peerUrls().stream()
                .map(url -> member.name() + "=" + url)
                .collect(Collectors.joining(","));
        out.step(
                AREA,
                "etcd's snapshot is kept in %s. To restore it: etcdutl snapshot restore %s --data-dir %s "
                                .formatted(directory, file, etcd.dataDir())
                        + "--name %s --initial-cluster %s --initial-advertise-peer-urls %s "
                                .formatted(member.name(), initial, urls)
                        + "--bump-revision 1000000000 --mark-compacted");
    }
}
