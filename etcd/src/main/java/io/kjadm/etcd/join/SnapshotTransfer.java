package io.kjadm.etcd.join;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * How much of the database a new member has received; until it has all of it, it answers nobody.
 *
 * @param since when the first of it was seen
 * @param first how many bytes that were
 * @param at when it was seen last
 * @param bytes how many there are now
 * @param total size of the leader's database
 */
record SnapshotTransfer(Instant since, long first, Instant at, long bytes, long total) {

    private static final double KIB = 1 << 10;
    private static final double MIB = 1 << 20;

    /** After one more look; empty while there is nothing worth telling. */
    static Optional<SnapshotTransfer> after(
            Optional<SnapshotTransfer> before, Instant now, long bytes, long total) {
        if (bytes < MIB || total < bytes) {
            return before.filter(known -> total >= known.bytes());
        }
        return Optional.of(before.filter(known -> known.bytes() <= bytes)
                .map(known -> new SnapshotTransfer(known.since(), known.first(), now, bytes, total))
                .orElseGet(() -> new SnapshotTransfer(now, bytes, now, bytes, total)));
    }

    private double bytesPerSecond() {
        double seconds = Duration.between(since, at).toMillis() / 1000.0;
        return seconds < 1 ? 0 : (bytes - first) / seconds;
    }

    /**
     * "… 85.3 of 150.1 MiB (56 %), 4.8 MiB/s, 14 s left"; the rate is the mean since the first
     * look.
     */
    String describe() {
        String amount = String.format(
                Locale.ROOT,
                "the member receives the database: %.1f of %.1f MiB (%d %%)",
                bytes / MIB,
                total / MIB,
                bytes * 100 / total);
        double rate = bytesPerSecond();
        return rate <= 0
                ? amount
                : String.format(
                        Locale.ROOT,
                        rate < MIB ? "%s, %.0f KiB/s, %.0f s left" : "%s, %.1f MiB/s, %.0f s left",
                        amount,
                        rate / (rate < MIB ? KIB : MIB),
                        Math.ceil((total - bytes) / rate));
    }
}
