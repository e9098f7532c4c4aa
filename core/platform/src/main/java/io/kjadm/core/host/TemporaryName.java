package io.kjadm.core.host;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The hidden names under which files are written before they get their own: {@code .NAME.UUID}. */
final class TemporaryName {

    private static final String UUID_FORM = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    private TemporaryName() {}

    /** A new one beside a file. */
    static Path beside(Path file) {
        return file.resolveSibling(".%s.%s".formatted(file.getFileName(), UUID.randomUUID()));
    }

    /** Tells the names of what writes of a file have left. */
    static Predicate<Path> leftOvers(Path file) {
        Pattern form = Pattern.compile(Pattern.quote("." + file.getFileName() + ".") + UUID_FORM);
        return entry -> form.matcher(entry.getFileName().toString()).matches();
    }

    /**
     * Removes what writes of this file have left that were killed. One program at a time works on
     * the files of a machine, so nobody else is just writing it.
     *
     * @return whether there were any; the directory is not synced
     */
    static boolean removeLeftOvers(Path file) throws IOException {
        Path directory = file.getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            return false;
        }
        boolean removed = false;
        try (DirectoryStream<Path> leftOvers =
                Files.newDirectoryStream(directory, leftOvers(file)::test)) {
            for (Path leftOver : leftOvers) {
                removed |= Files.deleteIfExists(leftOver);
            }
        }
        return removed;
    }
}
