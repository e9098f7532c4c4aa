package io.kjadm.core.etcd.check;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** A disk of which only the free space is known. */
public record FreeSpace(LongSupplier bytes) implements DiskProbe {

    @Override
    public long freeBytes(Path directory) {
        return bytes.getAsLong();
    }

    @Override
    public Optional<Duration> syncTime(Path directory) {
        return Optional.empty();
    }
}
