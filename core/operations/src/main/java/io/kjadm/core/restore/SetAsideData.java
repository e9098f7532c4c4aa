package io.kjadm.core.restore;

import io.kjadm.core.etcd.DataDirBackup;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Earlier data of etcd on this machine that were renamed, by this program or by hand. */
public final class SetAsideData {

    private static final int STAMP = "yyyyMMdd-HHmmss".length();

    private SetAsideData() {}

    /** Their paths, beside a data directory and in it; those that are named after the latest time come first. */
    public static List<Path> of(HostFiles files, Path dataDir) {
        String name = dataDir.getFileName() + ".";
        return Stream.concat(
                        files.list(dataDir).stream()
                                .filter(path -> DataDirBackup.isSetAside(
                                        path.getFileName().toString())),
                        files.list(dataDir.resolveSibling("")).stream()
                                .filter(path -> path.getFileName().toString().startsWith(name)))
                .sorted(Comparator.comparing(SetAsideData::stamp).reversed())
                .toList();
    }

    private static String stamp(Path path) {
        String name = path.getFileName().toString();
        return name.substring(Math.max(0, name.length() - STAMP));
    }

    /** Where the database may lie in a directory: that of a member, or a data directory. */
    static Stream<Path> databases(Path directory) {
        return Stream.of(
                directory.resolve("snap/db"),
                directory.resolve(KubernetesPaths.ETCD_MEMBER).resolve("snap/db"));
    }
}
