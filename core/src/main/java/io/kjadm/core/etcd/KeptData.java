package io.kjadm.core.etcd;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The data of a member that has failed or may still be listed: kept, but out of the next member's
 * way. It is renamed to a place beside the data directory; where that is a mount of its own, out of
 * which nothing can be renamed, to a name in it that etcd passes over.
 */
public final class KeptData {

    private static final String MEMBER = "member";
    private static final Pattern IN_THE_DIRECTORY = Pattern.compile(MEMBER
            + "\\.[a-z]+-\\d{8}-\\d{6}");

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
        return dataDir.resolveSibling(
                "%s.%s-%s".formatted(dataDir.getFileName(), why, STAMP.format(now)));
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
        Path data = dataDir.resolve(MEMBER);
        Path inside = dataDir.resolve(MEMBER + extension(place));
        if (!files.exists(data)) {
            return Stream.of(place, inside).filter(files::exists).findFirst().map(KeptData::moved)
                    .orElse("there is no data in " + dataDir);
        }
        try {
            files.rename(data, place);
            return moved(place);
        } catch (HostException beside) {
            return setAsideInside(data, inside);
        }
    }

    private String setAsideInside(Path data, Path inside) {
        try {
            files.rename(data, inside);
            return moved(inside);
        } catch (HostException e) {
            return "its data stays in %s (%s); move it away before this node joins again"
                    .formatted(data, e.why());
        }
    }

    private String extension(Path place) {
        return place.getFileName().toString().substring(dataDir.getFileName().toString().length());
    }

    /** Whether an entry of a data directory is what was set aside in it. */
    public static boolean isSetAside(String name) {
        return IN_THE_DIRECTORY.matcher(name).matches();
    }

    /**
     * Whether an entry of a data directory is what a join that failed has left, which never voted.
     */
    public static boolean isOfAFailedJoin(String name) {
        return isSetAside(name) && name.startsWith(MEMBER + ".failed-");
    }

    private static String moved(Path place) {
        return "its data was moved to " + place;
    }
}
