package io.kjadm.core.restore;

import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.MemberIds;
import io.kjadm.manifests.NameAndUrl;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The data that etcd's tool makes of a snapshot, for the only member of a new cluster. */
public final class MadeData {

    private final HostFiles files;
    private final Path dataDir;
    private final MemberIds ids;

    /**
     * @param dataDir of etcd
     * @param ids     of the member
     */
    public MadeData(HostFiles files, Path dataDir, MemberIds ids) {
        this.files = files;
        this.dataDir = dataDir;
        this.ids = ids;
    }

    /** The IDs that a new cluster of that token and its only member get. */
    public static MemberIds ids(String token, NameAndUrl member) {
        return MemberIds.ofFounder(token, List.of(member.url()));
    }

    /**
     * Why a folder does not hold them, by its write-ahead log: a name or a place would be the same
     * for an etcd that was started by someone else. Empty if it does.
     *
     * @param member the folder, below the data directory
     */
    public Optional<String> fault(Path member) {
        boolean linked = !files.realPath(member)
                .equals(files.realPath(dataDir)
                        .map(real -> real.resolve(dataDir.relativize(member))));
        Optional<MemberIds> found =
                linked ? Optional.empty() : new DataDirReader(files).idsIn(member);
        if (found.filter(ids::equals).isPresent()) {
            return Optional.empty();
        }
        String nothing = linked ? "a link" : "no write-ahead log that can be read";
        return Optional.of("expected the data of %s, found %s"
                .formatted(ids, found.map(other -> "those of " + other).orElse(nothing)));
    }
}
