package io.kjadm.core.reset;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** The data of a member that may still be listed: kept, but out of the next member's way. */
final class KeptData {

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final HostFiles files;
    private final Path dataDir;

    KeptData(HostFiles files, Path dataDir) {
        this.files = files;
        this.dataDir = dataDir;
    }

    /**
     * Renames it to a place beside the data directory.
     *
     * @return where it is now
     */
    String setAside(Instant now) {
        Path data = dataDir.resolve("member");
        if (!files.exists(data)) {
            return "there is no data in " + dataDir;
        }
        Path kept = dataDir.resolveSibling(
                "%s.kept-%s".formatted(dataDir.getFileName(), STAMP.format(now)));
        try {
            files.rename(data, kept);
            return "its data was moved to " + kept;
        } catch (HostException e) {
            // the directory may be a mount of its own
            return "its data stays in %s (%s); move it away before this node joins again"
                    .formatted(data, e.why());
        }
    }
}
