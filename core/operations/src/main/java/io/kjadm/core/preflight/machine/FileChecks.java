package io.kjadm.core.preflight.machine;

import io.kjadm.core.check.Check;
import io.kjadm.core.check.Finding;
import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.WalIdentity;

import java.nio.file.Path;
import java.util.List;

/** Checks of single files and directories. */
public final class FileChecks {

    private static final String ON = "1";

    private FileChecks() {}

    /** A file that we will write is not there yet. */
    public static Check available(Path path, HostFiles files) {
        return Check.ofLeftovers(
                name("FileAvailable", path),
                () -> Finding.errorIf(files.exists(path), path + " already exists"));
    }

    /** A file that the operator has to provide is there. */
    public static Check exists(String name, Path path, HostFiles files) {
        return Check.of(name, () -> Finding.errorIf(!files.exists(path), path + " does not exist"));
    }

    /** A kernel setting is on: its file begins with {@code 1}. */
    public static Check settingOn(Path path, HostFiles files) {
        return Check.of(
                name("FileContent", path),
                () -> files.read(path)
                        .map(text -> Finding.errorIf(
                                !text.startsWith(ON),
                                "%s contents are not set to %s".formatted(path, ON)))
                        .orElseGet(() -> List.of(Finding.error(path + " does not exist"))));
    }

    /**
     * etcd's data directory is absent or holds nothing that etcd minds; otherwise whose data it is.
     */
    public static Check etcdDataDir(Path path, HostFiles files) {
        return Check.ofLeftovers(name("DirAvailable", path), () -> switch (new DataDirReader(files)
                .read(path)) {
            case DataDirectory.Empty() -> Finding.none();
            case DataDirectory.Held(String at, WalIdentity identity) ->
                List.of(Finding.error(
                        "%s is not empty: it holds the data of etcd member %s of cluster %s"
                                .formatted(at, identity.memberId(), identity.clusterId())));
            case DataDirectory.Unreadable(String at, String why) ->
                List.of(Finding.error("%s cannot be used: %s".formatted(at, why)));
        });
    }

    /** An absolute path begins with a dash of its own, so the name has two. */
    private static String name(String kind, Path path) {
        return kind + "-" + path.toString().replace('/', '-');
    }
}
