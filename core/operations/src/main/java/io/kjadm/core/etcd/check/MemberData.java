package io.kjadm.core.etcd.check;

import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.WalIdentity;
import io.kjadm.etcd.join.LocalDataDir;

import java.nio.file.Path;
import java.util.Optional;

/** What is in this machine's data directory while a member joins. Not safe for several threads. */
public final class MemberData {

    private final HostFiles files;
    private final Path dataDir;
    private Optional<LocalDataDir> found = Optional.empty();

    public MemberData(HostFiles files, Path dataDir) {
        this.files = files;
        this.dataDir = dataDir;
    }

    /**
     * Data that was there before anything was started here can be of anybody; a log is large, so it
     * is read once.
     */
    public LocalDataDir look() {
        LocalDataDir now = isPresent() ? LocalDataDir.SOME_DATA : LocalDataDir.NONE;
        if (found.isEmpty()) {
            found = Optional.of(now.dataPresent() ? read() : now);
        }
        return now.dataPresent() && found.get().dataPresent() ? found.get() : now;
    }

    /** Forgets what was read: another member's data comes. */
    public void forget() {
        found = Optional.empty();
    }

    /** An empty directory is no data: etcd starts in it as in none. */
    private boolean isPresent() {
        Path member = dataDir.resolve(KubernetesPaths.ETCD_MEMBER);
        return files.exists(member)
                && !(files.isDirectory(member) && files.list(member).isEmpty());
    }

    private LocalDataDir read() {
        return switch (new DataDirReader(files).read(dataDir)) {
            case DataDirectory.Empty() -> LocalDataDir.NONE;
            case DataDirectory.Held(String path, WalIdentity identity) ->
                new LocalDataDir(
                        true, Optional.of(identity.memberId()), Optional.of(identity.clusterId()));
            case DataDirectory.Unreadable(String path, String why) -> LocalDataDir.SOME_DATA;
        };
    }
}
