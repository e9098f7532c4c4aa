package io.kjadm.core.etcd;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.WalIdentity;
import io.kjadm.etcd.check.WalReader;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tells what an etcd data directory holds. */
public final class DataDirReader {

    /**
     * The file that the probe of the disk writes. One name for all runs, so that what a killed run
     * left is known and used again.
     */
    public static final String SYNC_PROBE = ".kjadm-sync-probe";

    /** The file by which the automatic mode knows a machine's disk again. */
    public static final String DISK_MARKER = ".kjadm-disk";

    /** What a new file system, our own probe, and a member that has left leave. */
    private static final Set<String> HARMLESS =
            Set.of("lost+found", SYNC_PROBE, MemberMarker.FILE_NAME, DISK_MARKER);

    private static final String MEMBER = KubernetesPaths.ETCD_MEMBER;

    private final HostFiles files;

    public DataDirReader(HostFiles files) {
        this.files = files;
    }

    public DataDirectory read(Path directory) {
        try {
            return look(directory);
        } catch (HostException e) {
            return new DataDirectory.Unreadable(directory.toString(), e.getMessage());
        }
    }

    /**
     * Whose data a member's folder holds, wherever it was renamed to; empty if its write-ahead log
     * is missing or cannot be read.
     *
     * @param member with {@code wal} in it
     */
    public Optional<MemberIds> idsIn(Path member) {
        try {
            List<Path> log = log(member);
            return log.isEmpty()
                    ? Optional.empty()
                    : Optional.of(identity(log.getFirst()).ids());
        } catch (WalReader.DamagedException | HostException e) {
            return Optional.empty();
        }
    }

    private List<Path> log(Path member) {
        return files.list(member.resolve("wal")).stream()
                .filter(path -> path.toString().endsWith(".wal"))
                .toList();
    }

    private DataDirectory look(Path directory) {
        if (files.exists(directory) && !files.isDirectory(directory)) {
            return new DataDirectory.Unreadable(directory.toString(), "it is not a directory");
        }
        List<String> names = files.list(directory).stream()
                .map(path -> path.getFileName().toString())
                .filter(name -> !HARMLESS.contains(name) && !DataDirBackup.isSetAside(name))
                .toList();
        Path member = directory.resolve(MEMBER);
        boolean bare = names.equals(List.of(MEMBER))
                && files.isDirectory(member)
                && files.list(member).isEmpty();
        if (names.isEmpty() || bare) {
            return new DataDirectory.Empty();
        }
        List<Path> log = log(member);
        if (log.isEmpty()) {
            return new DataDirectory.Unreadable(
                    directory.toString(),
                    "it is not empty: %s, and has no write-ahead log"
                            .formatted(String.join(", ", names)));
        }
        return held(directory, log);
    }

    /**
     * Every file tells whose it is; versions are told in between, so the newest file is read too.
     */
    private DataDirectory held(Path directory, List<Path> log) {
        try {
            WalIdentity first = identity(log.getFirst());
            WalIdentity last = log.size() == 1 ? first : identity(log.getLast());
            Optional<EtcdVersion> version = Stream.of(first, last)
                    .flatMap(identity -> identity.clusterVersion().stream())
                    .max(Comparator.naturalOrder());
            return new DataDirectory.Held(
                    directory.toString(),
                    new WalIdentity(first.clusterId(), first.memberId(), version));
        } catch (WalReader.DamagedException e) {
            return new DataDirectory.Unreadable(
                    directory.toString(),
                    "it is not empty, and its write-ahead log (%s) cannot be read: %s"
                            .formatted(
                                    log.stream()
                                            .map(path -> path.getFileName().toString())
                                            .collect(Collectors.joining(", ")),
                                    e.getMessage()));
        }
    }

    private WalIdentity identity(Path file) throws WalReader.DamagedException {
        try (InputStream log = files.open(file)) {
            return WalReader.read(log);
        } catch (IOException e) {
            throw new HostException("cannot read " + file, e.toString(), "check the disk", e);
        }
    }
}
