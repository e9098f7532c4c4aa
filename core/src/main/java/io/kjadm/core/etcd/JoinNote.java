package io.kjadm.core.etcd;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.MemberId;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a join notes about the etcd member it added, so that the same join run again recognizes it as its
 * own and goes on with it. The note goes when the join is done or taken back.
 */
public final class JoinNote {

    private final HostFiles files;
    private final Path path;

    /**
     * @param directory a place that survives a crash, {@code /etc/kubernetes/tmp}
     */
    public JoinNote(HostFiles files, Path directory) {
        this.files = files;
        this.path = directory.resolve("kjadm-etcd-join");
    }

    /** The member an earlier run added, if it left a readable note. */
    public Optional<MemberId> added() {
        return files.read(path).map(String::strip).filter(text -> text.matches("[0-9a-f]{1,16}")).map(MemberId::parse);
    }

    /** Notes the member, durably, before anything is done with it. */
    public void write(MemberId id) {
        files.write(path, id + "\n", FileMode.OWNER_ONLY);
    }

    /** Forgets it. */
    public void remove() {
        files.delete(path);
    }
}
