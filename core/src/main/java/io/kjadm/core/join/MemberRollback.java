package io.kjadm.core.join;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Waiter;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Takes back what a failed join left on this node for its etcd member. */
final class MemberRollback {

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final HostFiles files;
    private final Path manifest;
    private final Path dataDir;
    private final Waiter waiter;

    MemberRollback(HostFiles files, Path manifest, Path dataDir, Waiter waiter) {
        this.files = files;
        this.manifest = manifest;
        this.dataDir = dataDir;
        this.waiter = waiter;
    }

    /** Removes the manifest, so that the kubelet stops the member. */
    void stopMember() {
        files.delete(manifest);
    }

    /**
     * Sets the member's data aside: a removed member can never come back, so the next join must find the
     * directory empty. The data is kept, under a new name beside it.
     *
     * @return where it is now, or why it could not be moved
     */
    String setDataAside() {
        Path data = dataDir.resolve("member");
        if (!files.exists(data)) {
            return "the data directory %s is empty".formatted(dataDir);
        }
        Path kept = dataDir.resolveSibling("%s.failed-%s".formatted(dataDir.getFileName(), STAMP.format(waiter.now())));
        try {
            files.rename(data, kept);
            return "its data was moved to %s".formatted(kept);
        } catch (HostException e) {
            return "its data could not be moved out of %s (%s); move it away before the next join".formatted(dataDir, e.why());
        }
    }
}
