package io.kjadm.etcd.compare;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * A time without an acknowledged write.
 *
 * @param untilEnd whether none came after it any more
 */
public record Gap(Duration length, boolean untilEnd) {

    /** Writes that were under way at the end are no gap. */
    private static final Duration SHORTEST_END = Duration.ofSeconds(1);

    /**
     * The longest between the first and the last moment.
     *
     * @param acknowledged moments in nanoseconds, in any order
     */
    static Gap longest(List<Long> acknowledged, long from, long to) {
        long last = from;
        long longest = 0;
        for (long moment : acknowledged.stream()
                .filter(at -> at >= from && at <= to)
                .sorted()
                .toList()) {
            longest = Math.max(longest, moment - last);
            last = moment;
        }
        boolean end = to - last >= longest && to - last >= SHORTEST_END.toNanos();
        return new Gap(Duration.ofNanos(end ? to - last : longest), end);
    }

    double millis() {
        return length.toNanos() / 1e6;
    }

    @Override
    public String toString() {
        return untilEnd ? "until the end (%s)".formatted(words(length)) : words(length);
    }

    /** "35 ms", "1.4 s", "24 s". */
    static String words(Duration time) {
        double seconds = time.toNanos() / 1e9;
        if (seconds < 0.9995) {
            return "%d ms".formatted(Math.round(seconds * 1000));
        }
        return seconds < 9.95
                ? String.format(Locale.ROOT, "%.1f s", seconds)
                : "%d s".formatted(Math.round(seconds));
    }
}
