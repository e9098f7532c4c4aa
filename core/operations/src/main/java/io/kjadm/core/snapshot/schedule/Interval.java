package io.kjadm.core.snapshot.schedule;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.value.GoDuration;

import java.time.Duration;

/**
 * How often. It has to divide an hour or a day, so that the times of a day are always the same.
 *
 * @param length whole minutes
 */
public record Interval(Duration length) {

    private static final long HOUR = 60;
    private static final long DAY = 24 * HOUR;

    /** @throws UsageException if there are no such times */
    public Interval {
        long minutes = length.toMinutes();
        boolean possible = length.equals(Duration.ofMinutes(minutes))
                && minutes > 0
                && (HOUR % minutes == 0 || minutes % HOUR == 0 && DAY % minutes == 0);
        if (!possible) {
            throw new UsageException(
                    "every %s is not possible".formatted(GoDuration.text(length)),
                    "the schedule would differ from day to day",
                    "use minutes that divide an hour (15m, 30m), or hours that divide a day (1h, 6h, 24h)");
        }
    }

    /** In cron's words. */
    public String cron() {
        long minutes = length.toMinutes();
        if (minutes < HOUR) {
            return minutes == 1 ? "* * * * *" : "*/%d * * * *".formatted(minutes);
        }
        if (minutes == HOUR) {
            return "0 * * * *";
        }
        return minutes == DAY ? "0 0 * * *" : "0 */%d * * *".formatted(minutes / HOUR);
    }

    /** As systemd's {@code OnCalendar} has it (systemd.time(7)). */
    public String calendar() {
        long minutes = length.toMinutes();
        if (minutes < HOUR) {
            return "*-*-* *:00/%d:00".formatted(minutes);
        }
        return minutes == DAY ? "*-*-* 00:00:00" : "*-*-* 00/%d:00:00".formatted(minutes / HOUR);
    }
}
