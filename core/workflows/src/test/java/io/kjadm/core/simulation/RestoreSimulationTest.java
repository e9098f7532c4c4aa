package io.kjadm.core.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.kjadm.core.simulation.RestoreSimulation.Outcome;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

/**
 * Plays many random schedules of restores and recoveries with the production classes on three to
 * five machines: power cuts, late disks, ports that are closed, old evidence, clocks that jump, and
 * operators who make mistakes. See {@link RestoreSimulation} for what is promised.
 *
 * <p>{@code -Dkjadm.simulation.restores=N} plays N, {@code -Dkjadm.simulation.restores.first=N}
 * begins at another seed, and {@code -Dkjadm.simulation.restore=N} plays the one of that seed alone
 * and prints what the programs say.
 */
class RestoreSimulationTest {

    private static final long SCHEDULES = Long.getLong("kjadm.simulation.restores", 40);
    private static final long FIRST = Long.getLong("kjadm.simulation.restores.first", 1);
    /** What is done wrongly is noticed within so many schedules. */
    private static final long ENOUGH = 20_000;

    @Test
    void twoClustersOfOneNeverServe() {
        Long one = Long.getLong("kjadm.simulation.restore");
        RestoreSchedules.Sum sum = one == null
                ? RestoreSchedules.play(FIRST, SCHEDULES, RestoreRules.ALL_KEPT)
                : RestoreSchedules.tell(one);

        sum.failing().ifPresent(seed -> fail(RestoreSchedules.story(seed, RestoreRules.ALL_KEPT)));
        assertTrue(one != null || sum.founded() > 0 && sum.refused() > 0, sum::toString);
    }

    @Test
    void aScheduleAlwaysPlaysTheSameWay() {
        for (long seed = 1; seed <= 30; seed++) {
            RestoreSchedule schedule = RestoreSchedule.of(seed);
            List<String> log = new ArrayList<>();
            List<String> again = new ArrayList<>();
            Outcome outcome = RestoreSimulation.play(schedule, RestoreRules.ALL_KEPT, log);
            assertEquals(outcome, RestoreSimulation.play(schedule, RestoreRules.ALL_KEPT, again));
            assertEquals(log, again);
            assertEquals(schedule, RestoreSchedule.of(seed));
        }
    }

    @ParameterizedTest
    @EnumSource(value = RestoreRules.class, mode = EnumSource.Mode.EXCLUDE, names = "ALL_KEPT")
    void eachRuleIsNeeded(RestoreRules missing) {
        RestoreSchedules.Sum sum = RestoreSchedules.play(missing.firstSeed, ENOUGH, missing);
        assertTrue(sum.failing().isPresent(), missing + " breaks nothing");
    }
}
