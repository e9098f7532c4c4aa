package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.EtcdRule.DISK;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * The data directory's disk has room for a snapshot beside the database, and syncs fast enough.
 */
public final class DiskRules {

    private static final Duration SLOW = Duration.ofMillis(10);
    private static final Duration TOO_SLOW = Duration.ofMillis(500);

    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    private DiskRules() {}

    /**
     * Whether the space is enough: twice the database, since a snapshot is received beside it, and
     * 1 GiB for the log.
     *
     * @param databaseBytes size of the cluster's database; 0 while it is not known
     */
    public static Optional<EtcdFinding> space(Path dataDir, long freeBytes, long databaseBytes) {
        long needed = 2 * databaseBytes + GIB;
        return freeBytes >= needed
                ? Optional.empty()
                : Optional.of(EtcdFinding.error(
                        DISK,
                        "the disk of %s has %s free; %s are needed (twice the database of %s, and 1 GiB): free some, or use a larger disk"
                                .formatted(
                                        dataDir,
                                        size(freeBytes),
                                        size(needed),
                                        size(databaseBytes))));
    }

    /**
     * Whether a synced write is fast enough.
     *
     * @param p99 what 99 of 100 small synced writes took at most
     */
    public static Optional<EtcdFinding> speed(Path dataDir, Duration p99) {
        if (p99.compareTo(SLOW) <= 0) {
            return Optional.empty();
        }
        String text = "the disk of %s takes %d ms to sync a small write (p99)"
                .formatted(dataDir, p99.toMillis());
        return Optional.of(
                p99.compareTo(TOO_SLOW) > 0
                        ? EtcdFinding.error(
                                DISK,
                                text
                                        + ", %d ms is the limit: etcd would lose its leader again and again; use a faster disk"
                                                .formatted(TOO_SLOW.toMillis()))
                        : EtcdFinding.warning(
                                DISK,
                                text
                                        + ": etcd should have less than %d ms"
                                                .formatted(SLOW.toMillis())));
    }

    /** "850 MiB", "2.1 GiB". */
    static String size(long bytes) {
        return bytes < GIB
                ? "%d MiB".formatted(bytes / MIB)
                : String.format(Locale.ROOT, "%.1f GiB", (double) bytes / GIB);
    }
}
