package io.kjadm.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.LocalDate;
import java.util.stream.Collectors;

class JdkAgeTest {

    @ParameterizedTest
    @CsvSource({
        // released, day of the build, updates that it misses
        "2026-04-21, 2026-04-21, 0",
        "2026-04-21, 2026-07-20, 0",
        "2026-04-21, 2026-07-21, 1",
        "2026-04-21, 2026-10-19, 1",
        "2026-04-21, 2026-10-20, 2",
        "2026-04-20, 2026-04-21, 1",
        "2025-09-16, 2025-10-20, 0",
        "2025-09-16, 2025-10-21, 1",
        "2025-09-16, 2026-01-20, 2",
        "2025-10-21, 2026-11-23, 4",
        // a machine whose clock is behind
        "2026-10-20, 2025-01-01, 0",
    })
    void twoMissedUpdatesAreTooMany(LocalDate released, LocalDate today, int missed) {
        JdkAge age = new JdkAge(released, today);
        assertEquals(missed, age.missedUpdates().size(), age::toString);
        assertEquals(missed >= 2, age.isTooOld(), age::toString);
    }

    /** As Oracle announced them. */
    @Test
    void updatesComeOnTheThirdTuesdayOfAQuarter() {
        assertEquals(
                "2025-01-21 2025-04-15 2025-07-15 2025-10-21 2026-01-20 2026-04-21 2026-07-21",
                new JdkAge(LocalDate.of(2025, 1, 1), LocalDate.of(2026, 9, 30))
                        .missedUpdates().stream()
                                .map(LocalDate::toString)
                                .collect(Collectors.joining(" ")));
    }
}
