package io.kjadm.core.etcd;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The data of a member that has failed or may still be listed: kept, but out of the next member's
 * way. It is renamed to a place beside the data directory; where that is a mount of its own, out of
 * which nothing can be renamed, to a name in it that etcd passes over.
 */
public final class DataDirBackup {

    private static final String MEMBER = KubernetesPaths.ETCD_MEMBER;
    private static final Pattern IN_THE_DIRECTORY =
            Pattern.compile(MEMBER + "\\.[a-z]+-\\d{8}-\\d{6}");

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final HostFiles files;
    private final Path dataDir;

    public DataDirBackup(HostFiles files, Path dataDir) {
        this.files = files;
        this.dataDir = dataDir;
    }

    /**
     * A place beside the data directory.
     *
     * @param why goes into its name, {@code failed} for example
     */
    public Path place(String why, Instant now) {
        return dataDir.resolveSibling("%s.%s-%s".formatted(dataDir.getFileName(), why, stamp(now)));
    }

    /** A moment as it stands in the name of what is set aside: {@code 20261120-102459}, UTC. */
    public static String stamp(Instant now) {
        return STAMP.format(now);
    }

    /** What became of it. */
    public sealed interface Outcome {

        /** It is there now; by this run, or one before. */
        record Moved(Path place) implements Outcome {
            @Override
            public String toString() {
                return "its data was moved to " + place;
            }
        }

        /** There is none. */
        record None(Path dataDir) implements Outcome {
            @Override
            public String toString() {
                return "there is no data in " + dataDir;
            }
        }

        /** It cannot be renamed, and nothing was changed. */
        record Stays(Path data, String why) implements Outcome {
            @Override
            public String toString() {
                return "its data stays in %s (%s); move it away before this node joins again"
                        .formatted(data, why);
            }
        }
    }

    /** Renames it to a new {@link #place}. */
    public Outcome setAside(String why, Instant now) {
        return setAside(place(why, now));
    }

    /** Renames it to a {@link #place}, unless that was done before. */
    public Outcome setAside(Path place) {
        Outcome outcome = moveAside(place);
        Path marker = dataDir.resolve(MemberMarker.FILE_NAME);
        if (outcome instanceof Outcome.Moved && files.exists(marker)) {
            files.delete(marker);
        }
        return outcome;
    }

    private Outcome moveAside(Path place) {
        Path data = dataDir.resolve(MEMBER);
        Path inside = dataDir.resolve(MEMBER + extension(place));
        if (!files.exists(data)) {
            return kept(place)
                    .<Outcome>map(Outcome.Moved::new)
                    .orElseGet(() -> new Outcome.None(dataDir));
        }
        try {
            files.rename(data, place);
            return new Outcome.Moved(place);
        } catch (HostException beside) {
            return setAsideInside(data, inside);
        }
    }

    private Outcome setAsideInside(Path data, Path inside) {
        try {
            files.rename(data, inside);
            return new Outcome.Moved(inside);
        } catch (HostException e) {
            return new Outcome.Stays(data, e.why());
        }
    }

    /** Where what was set aside at a {@link #place} is, by the side of the directory or in it. */
    public Optional<Path> kept(Path place) {
        Path inside =
                place.startsWith(dataDir) ? place : dataDir.resolve(MEMBER + extension(place));
        return Stream.of(place, inside).filter(files::exists).findFirst();
    }

    /**
     * Puts back what was set aside at a {@link #place}, or where {@link Outcome.Moved} tells;
     * nothing happens if that was done, or nothing was set aside.
     *
     * @throws HostException if there are data in its place: those have to be set aside first
     */
    public void putBack(Path place) {
        kept(place).ifPresent(kept -> files.rename(kept, dataDir.resolve(MEMBER)));
    }

    /** Everything that was set aside, by the side of the directory and in it. */
    public List<Path> all() {
        String beside = dataDir.getFileName() + ".";
        return Stream.concat(
                        files.list(dataDir.resolveSibling("")).stream()
                                .filter(path -> path.getFileName().toString().startsWith(beside)),
                        files.list(dataDir).stream()
                                .filter(path -> isSetAside(path.getFileName().toString())))
                .toList();
    }

    private String extension(Path place) {
        return place.getFileName()
                .toString()
                .substring(dataDir.getFileName().toString().length());
    }

    /** Whether an entry of a data directory is what was set aside in it. */
    public static boolean isSetAside(String name) {
        return IN_THE_DIRECTORY.matcher(name).matches();
    }
}
