package io.kjadm.core.etcd.version;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;

import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What upgrades have kept of the files that they changed, once they have ended: each in a directory
 * with its time.
 *
 * @param place where an upgrade that is under way keeps them
 */
record KeptFiles(HostFiles files, Path place) {

    /** So many upgrades that have ended. */
    private static final int KEPT = 3;

    private static final String DONE = "kjadm-upgraded-";
    /** What is kept there is not to be had elsewhere, and stays. */
    private static final String OVERTAKEN = "kjadm-interrupted-";

    /** A larger file is a program, and copied piece by piece. */
    private static final int WHOLE = 1 << 20;

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd-HH-mm-ss").withZone(ZoneOffset.UTC);

    /** Keeps a file; whether there was one. */
    boolean copy(Path path, Path to) {
        Optional<byte[]> start = files.readStart(path, WHOLE + 1);
        start.ifPresent(bytes -> {
            if (bytes.length <= WHOLE) {
                files.write(to, bytes, FileMode.OWNER_ONLY);
            } else {
                files.fill(to, FileMode.OWNER_ONLY, into -> {
                    try (InputStream from = files.open(path)) {
                        from.transferTo(into);
                    }
                });
            }
        });
        return start.isPresent();
    }

    /** Where those of an upgrade go that somebody else has overtaken. */
    Path overtaken(Instant now) {
        return place.resolveSibling(OVERTAKEN + TIME.format(now));
    }

    /** Moves those of an upgrade that has ended, and removes those of old ones. */
    Path moved(Instant now) {
        Path kept = place.resolveSibling(DONE + TIME.format(now));
        files.rename(place, kept);
        List<Path> earlier = files.list(place.getParent()).stream()
                .filter(path -> path.getFileName().toString().startsWith(DONE))
                // where the clock went back, the newest has not the last name
                .filter(path -> !path.equals(kept))
                .sorted(Comparator.reverseOrder())
                .toList();
        earlier.stream().skip(KEPT - 1).forEach(files::deleteTree);
        return kept;
    }
}
