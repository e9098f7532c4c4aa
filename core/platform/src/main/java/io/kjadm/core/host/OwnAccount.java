package io.kjadm.core.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** The account that this program runs as: root, but for tests. */
final class OwnAccount {

    private static final String UID = "unix:uid";
    /** The JDK has no call for the account's number. */
    private static final Path SELF = Path.of("/proc/self");

    private OwnAccount() {}

    /** Whether it owns what is at a path; a link is looked at, not followed. */
    static boolean has(Path path) throws IOException {
        return uid(path, LinkOption.NOFOLLOW_LINKS).equals(uid(SELF));
    }

    private static Object uid(Path path, LinkOption... options) throws IOException {
        return Files.getAttribute(path, UID, options);
    }
}
