package io.kjadm.core.value;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations in the notation of the Kubernetes world: {@code 1h30m}, {@code 300ms}, {@code 0}. */
public final class GoDuration {

    private static final Map<String, Long> NANOS = Map.of(
            "ns",
            1L,
            "us",
            1_000L,
            "µs",
            1_000L,
            "μs",
            1_000L,
            "ms",
            1_000_000L,
            "s",
            1_000_000_000L,
            "m",
            60_000_000_000L,
            "h",
            3_600_000_000_000L);

    private static final Pattern PART =
            Pattern.compile("([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)");
    private static final Pattern WHOLE = Pattern.compile("[-+]?(?:" + PART.pattern() + ")+");

    private GoDuration() {}

    /** Reads a duration; there are no days, and a unit is required except for {@code 0}. */
    public static Optional<Duration> parse(String text) {
        if (text.matches("[-+]?0")) {
            return Optional.of(Duration.ZERO);
        }
        if (!WHOLE.matcher(text).matches()) {
            return Optional.empty();
        }
        BigDecimal nanos = BigDecimal.ZERO;
        for (Matcher part = PART.matcher(text); part.find(); ) {
            BigDecimal unit = BigDecimal.valueOf(NANOS.get(part.group(2)));
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(unit));
        }
        BigDecimal whole = nanos.setScale(0, RoundingMode.DOWN);
        if (whole.toBigInteger().bitLength() > 63) {
            return Optional.empty();
        }
        long value = whole.longValueExact();
        return Optional.of(Duration.ofNanos(text.startsWith("-") ? -value : value));
    }

    /** The canonical text: {@code 24h0m0s}, {@code 1.5s}, {@code 0s}. */
    public static String text(Duration duration) {
        if (duration.isNegative()) {
            return "-" + text(duration.negated());
        }
        if (duration.isZero()) {
            return "0s";
        }
        if (duration.toSeconds() == 0) {
            return belowOneSecond(duration.toNanos());
        }
        String seconds = decimal(BigDecimal.valueOf(duration.toSecondsPart())
                        .add(BigDecimal.valueOf(duration.toNanosPart(), 9)))
                + "s";
        if (duration.toMinutes() == 0) {
            return seconds;
        }
        String minutes = duration.toMinutesPart() + "m" + seconds;
        return duration.toHours() == 0 ? minutes : duration.toHours() + "h" + minutes;
    }

    private static String belowOneSecond(long nanos) {
        if (nanos < 1_000) {
            return nanos + "ns";
        }
        return nanos < 1_000_000
                ? decimal(BigDecimal.valueOf(nanos, 3)) + "µs"
                : decimal(BigDecimal.valueOf(nanos, 6)) + "ms";
    }

    private static String decimal(BigDecimal value) {
        return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
    }
}
