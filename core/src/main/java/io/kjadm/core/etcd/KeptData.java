package io.kjadm.core.etcd;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** The data of a member that has failed or may still be listed: kept, but out of the next member's way. */
public final class KeptData {

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final HostFiles files;
    private final Path dataDir;

    public KeptData(HostFiles files, Path dataDir) {
        this.files = files;
        this.dataDir = dataDir;
    }

    /**
     * A place beside the data directory.
     *
     * @param why goes into its name, {@code failed} for example
     */
    public Path place(String why, Instant now) {
        return dataDir.resolveSibling("%s.%s-%s".formatted(dataDir.getFileName(), why, STAMP.format(now)));
    }

    /** Renames it to a new {@link #place}; where it is now. */
    public String setAside(String why, Instant now) {
        return setAside(place(why, now));
    }

    /**
     * Renames it to a {@link #place}, unless that was done before.
     *
     * @return where it is now
     */
    public String setAside(Path place) {
        Path data = dataDir.resolve("member");
        if (!files.exists(data)) {
            return files.exists(place) ? moved(place) : "there is no data in " + dataDir;
        }
        try {
            files.rename(data, place);
            return moved(place);
        } catch (HostException e) {
            // the directory may be a mount of its own
            return "its data stays in %s (%s); move it away before this node joins again"
                    .formatted(data, e.why());
        }
    }

    private static String moved(Path place) {
        return "its data was moved to " + place;
    }
}
