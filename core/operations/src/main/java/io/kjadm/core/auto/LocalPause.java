package io.kjadm.core.auto;

import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;

import java.nio.file.Path;
import java.util.Optional;

/** A pause of this machine alone, for a person who has to act while the store does not respond. */
public final class LocalPause {

    private static final Path FILE = AutoPaths.STATE.resolve("paused");

    private LocalPause() {}

    /** The reason of the one that is open. */
    static Optional<String> of(HostFiles files) {
        return files.read(FILE).map(String::strip);
    }

    /** Begins it. */
    public static void begin(HostFiles files, String reason) {
        files.write(FILE, reason + "\n", FileMode.OWNER_ONLY);
    }

    /** Ends it; whether there was one. */
    public static boolean end(HostFiles files) {
        boolean was = files.exists(FILE);
        files.delete(FILE);
        return was;
    }
}
