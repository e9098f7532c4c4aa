package io.kjadm.core.etcd.check;

import io.kjadm.core.etcd.DataDirReader;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The disks of this machine. */
public final class FileDiskProbe implements DiskProbe {

    private static final int WRITES = 100;
    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final boolean mayWrite;

    /** @param mayWrite false in a dry run */
    public FileDiskProbe(boolean mayWrite) {
        this.mayWrite = mayWrite;
    }

    @Override
    public long freeBytes(Path directory) throws IOException {
        return Files.getFileStore(existing(directory)).getUsableSpace();
    }

    @Override
    public Optional<Duration> syncTime(Path directory) throws IOException {
        if (!mayWrite) {
            return Optional.empty();
        }
        Path file = existing(directory).resolve(DataDirReader.SYNC_PROBE);
        try (FileChannel channel = FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING,
                LinkOption.NOFOLLOW_LINKS)) {
            return Optional.of(mostTakeAtMost(times(() -> {
                channel.write(ByteBuffer.allocate(Long.BYTES));
                channel.force(false);
            })));
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** One write that waits for the disk. */
    interface SyncedWrite {

        void run() throws IOException;
    }

    /** Of so many writes as are wanted, or of those that the time allows. */
    static List<Duration> times(SyncedWrite write) throws IOException {
        List<Duration> times = new ArrayList<>();
        long start = System.nanoTime();
        // once at least, however long this program was held up before
        do {
            long before = System.nanoTime();
            write.run();
            times.add(Duration.ofNanos(System.nanoTime() - before));
        } while (times.size() < WRITES && System.nanoTime() - start < LIMIT.toNanos());
        return times;
    }

    /** What 99 of 100 take at most: the smallest of the times that is enough for that many. */
    static Duration mostTakeAtMost(List<Duration> times) {
        return times.stream().sorted().toList().get((times.size() * 99 + 99) / 100 - 1);
    }

    /**
     * The directory itself or the nearest above it that is there, which is on the disk it will be
     * made on.
     */
    private static Path existing(Path directory) {
        Path at = directory.toAbsolutePath();
        while (!Files.isDirectory(at)) {
            at = at.getParent();
        }
        return at;
    }
}
