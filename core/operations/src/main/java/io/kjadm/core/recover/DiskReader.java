package io.kjadm.core.recover;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.MemberMarker;
import io.kjadm.core.host.AbsentMounts;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.restore.DatabaseReader;
import io.kjadm.core.restore.SetAsideData;
import io.kjadm.etcd.check.WalIdentity;
import io.kjadm.etcd.check.WalReader;
import io.kjadm.etcd.recover.DatabaseEvidence;
import io.kjadm.etcd.recover.DiskEvidence;
import io.kjadm.etcd.recover.LogEvidence;
import io.kjadm.etcd.recover.LogScan;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Looks at a data directory; changes nothing. */
public record DiskReader(HostFiles files) {

    /** Looks at one whose write-ahead log is in its usual place. */
    DiskEvidence look(Path dataDir, long served, Supplier<DatabaseReader.Look> database) {
        return look(
                dataDir,
                dataDir.resolve(KubernetesPaths.ETCD_MEMBER).resolve("wal"),
                served,
                database);
    }

    /**
     * Looks.
     *
     * @param wal      where its write-ahead log is
     * @param served   the entry that the member says it has applied; 0 if it does not answer
     * @param database how the database is looked into, if there is any
     */
    DiskEvidence look(Path dataDir, Path wal, long served, Supplier<DatabaseReader.Look> database) {
        Path member = dataDir.resolve(KubernetesPaths.ETCD_MEMBER);
        try {
            boolean data = Stream.of(wal, member.resolve("snap"))
                    .anyMatch(directory -> !files.list(directory).isEmpty());
            if (!data) {
                return new DiskEvidence.Empty(
                        dataDir.toString(),
                        setAside(dataDir),
                        MemberMarker.read(files, dataDir).map(MemberMarker::memberId),
                        AbsentMounts.of(files, dataDir));
            }
            DatabaseReader.Look look = database.get();
            long applied = look.evidence() instanceof DatabaseEvidence.Whole whole
                    ? Math.max(whole.applied(), served)
                    : served;
            return new DiskEvidence.Held(
                    dataDir.toString(),
                    logIn(files, wal, applied),
                    look.evidence(),
                    look.members(),
                    DiskEvidence.doubt(AbsentMounts.of(files, dataDir), setAside(dataDir)));
        } catch (HostException e) {
            return new DiskEvidence.Unreadable(dataDir.toString(), "it cannot be read: " + e.why());
        }
    }

    private List<String> setAside(Path dataDir) {
        return SetAsideData.of(files, dataDir).stream().map(Path::toString).toList();
    }

    /** The write-ahead log in a member's directory. */
    public static LogEvidence log(HostFiles files, Path member, long applied) {
        return logIn(files, member.resolve("wal"), applied);
    }

    private static LogEvidence logIn(HostFiles files, Path wal, long applied) {
        List<Path> log = files.list(wal).stream()
                .filter(path -> path.toString().endsWith(".wal"))
                .toList();
        if (log.isEmpty()) {
            return new LogEvidence.Damaged("it is missing");
        }
        try {
            WalIdentity identity;
            try (InputStream first = files.open(log.getFirst())) {
                identity = WalReader.read(first);
            }
            LogScan scan = new LogScan(applied);
            for (Path file : log) {
                try (InputStream in = files.open(file)) {
                    scan.file(in, file.equals(log.getLast()));
                }
            }
            return new LogEvidence.Readable(
                    identity.memberId(), identity.clusterId(), scan.position(), scan.gap());
        } catch (WalReader.DamagedException | IOException e) {
            return new LogEvidence.Damaged(e.getMessage());
        }
    }
}
