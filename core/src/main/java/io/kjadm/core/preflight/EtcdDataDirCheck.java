package io.kjadm.core.preflight;

import io.kjadm.core.etcd.check.DataDirReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.check.DataDirectory;
import io.kjadm.etcd.check.WalIdentity;

import java.nio.file.Path;
import java.util.List;

/** etcd's data directory is absent or holds nothing that etcd minds; otherwise whose data it is. */
record EtcdDataDirCheck(Path path, HostFiles files) implements Check {

    @Override
    public String name() {
        return PathNames.of("DirAvailable", path);
    }

    @Override
    public List<Finding> run() {
        return switch (new DataDirReader(files).read(path)) {
            case DataDirectory.Empty() -> Finding.none();
            case DataDirectory.Held(String at, WalIdentity identity) ->
                List.of(Finding.error(
                        "%s is not empty: it holds the data of etcd member %s of cluster %s"
                                .formatted(at, identity.memberId(), identity.clusterId())));
            case DataDirectory.Unreadable(String at, String why) ->
                List.of(Finding.error("%s cannot be used: %s".formatted(at, why)));
        };
    }

    @Override
    public boolean isAboutLeftovers() {
        return true;
    }
}
