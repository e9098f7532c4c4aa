package io.kjadm.packaging;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.Month;
import java.time.ZoneOffset;
import java.time.temporal.TemporalAdjusters;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How far the runtime of the package is behind Java's security updates. They come each quarter on
 * a day known beforehand: the third Tuesday of January, April, July and October, see
 * <a href="https://www.oracle.com/security-alerts/">Critical Patch Updates</a>. The build runs this
 * on the packed runtime; nothing here is used on a node.
 *
 * @param released day on which the runtime's version was released
 * @param today    day of the build
 */
public record JdkAge(LocalDate released, LocalDate today) {

    private static final List<Month> QUARTERS =
            List.of(Month.JANUARY, Month.APRIL, Month.JULY, Month.OCTOBER);
    /** One may be too young for the distributions to have it. */
    private static final int TOO_MANY = 2;

    /**
     * Ends with status 1 if this runtime is too old for a release.
     *
     * @param arguments {@code true} for a release; otherwise there is only a warning
     */
    public static void main(String[] arguments) {
        JdkAge age = new JdkAge(
                LocalDate.parse(System.getProperty("java.version.date")),
                LocalDate.now(ZoneOffset.UTC));
        if (!age.isTooOld()) {
            return;
        }
        boolean release = Boolean.parseBoolean(arguments[0]);
        System.err.printf(
                "[package] %s: the packed runtime is Java %s of %s, without the updates"
                        + " of %s%nNext: build with a JDK that has them%n",
                release ? "error" : "warning",
                System.getProperty("java.version"),
                age.released(),
                age.missedUpdates().stream()
                        .map(LocalDate::toString)
                        .collect(Collectors.joining(", ")));
        System.exit(release ? 1 : 0);
    }

    /** The updates that came after the release and no later than today. */
    List<LocalDate> missedUpdates() {
        return IntStream.rangeClosed(released.getYear(), today.getYear())
                .boxed()
                .flatMap(JdkAge::updates)
                .filter(update -> update.isAfter(released) && !update.isAfter(today))
                .toList();
    }

    boolean isTooOld() {
        return missedUpdates().size() >= TOO_MANY;
    }

    private static Stream<LocalDate> updates(int year) {
        return QUARTERS.stream()
                .map(month -> LocalDate.of(year, month, 1)
                        .with(TemporalAdjusters.dayOfWeekInMonth(3, DayOfWeek.TUESDAY)));
    }
}
