package io.kjadm.core.etcd.check;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Looks at the disk under a directory that may not exist yet, as a port. */
public interface DiskProbe {

    /**
     * Bytes that a program may still write there.
     *
     * @throws IOException if the system does not tell
     */
    long freeBytes(Path directory) throws IOException;

    /**
     * What 99 of 100 small synced writes take at most; empty in a dry run, which writes nothing. It
     * takes a few seconds at worst and leaves nothing behind.
     *
     * @throws IOException if nothing can be written there
     */
    Optional<Duration> syncTime(Path directory) throws IOException;
}
