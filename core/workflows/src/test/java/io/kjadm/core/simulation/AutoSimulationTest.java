package io.kjadm.core.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.kjadm.etcd.auto.Rule;
import io.kjadm.etcd.auto.WaitCode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Plays many random schedules of machines that form a cluster by themselves, with the production
 * classes; see {@link AutoSimulation} for what is promised and {@link AutoFault} for what goes wrong.
 *
 * <p>{@code -Dkjadm.simulation.auto=N} plays N, {@code -Dkjadm.simulation.auto.first=N} begins at
 * another seed, and {@code -Dkjadm.simulation.auto.seed=N} plays the one of that seed alone and prints
 * what the programs say. {@code -Dkjadm.simulation.auto.restore=N} plays N in which a quorum is given
 * up, and {@code -Dkjadm.simulation.auto.restore.seed=N} the one of that seed. Instead of {@code restore}:
 *
 * <ul>
 *   <li>{@code regretting}: that is taken back
 *   <li>{@code operated}: a cluster is adopted, or gets another size
 *   <li>{@code again}: machines are installed again
 *   <li>{@code full}: root disks are full
 *   <li>{@code parted}: some machines do not reach the store
 *   <li>{@code moved}: machines get another address or name, etcd ends, stores nothing, has no space
 *   <li>{@code forged}: who has the token alone writes what an operator's key must sign
 *   <li>{@code muddled}: clocks are wrong, disks are swapped, writes are refused, persons change members
 * </ul>
 */
class AutoSimulationTest {

    private static final long SCHEDULES = Long.getLong("kjadm.simulation.auto", 40);
    private static final long RESTORES = Long.getLong("kjadm.simulation.auto.restore", 20);
    private static final long OPERATED = Long.getLong("kjadm.simulation.auto.operated", 20);
    private static final long AGAIN = Long.getLong("kjadm.simulation.auto.again", 20);
    private static final long FULL = Long.getLong("kjadm.simulation.auto.full", 20);
    private static final long REGRETTING = Long.getLong("kjadm.simulation.auto.regretting", 20);
    private static final long PARTED = Long.getLong("kjadm.simulation.auto.parted", 20);
    private static final long MOVED = Long.getLong("kjadm.simulation.auto.moved", 20);
    private static final long MUDDLED = Long.getLong("kjadm.simulation.auto.muddled", 20);
    private static final long FORGED = Long.getLong("kjadm.simulation.auto.forged", 20);
    private static final long FIRST = Long.getLong("kjadm.simulation.auto.first", 1);
    /** What is done wrongly is noticed within so many schedules. */
    private static final long ENOUGH = 600;
    /** More of them are minutes of each build: the mistake begins at another seed then. */
    private static final long FEW = 20;

    private static final Supplier<AutoTampering> AS_IT_IS = AutoTampering::new;

    @Test
    void everyScheduleKeepsEveryPromise() {
        Long one = Long.getLong("kjadm.simulation.auto.seed");
        failing(one == null ? FIRST : one, one == null ? SCHEDULES : 1, AS_IT_IS)
                .ifPresent(seed -> fail(story(seed, AS_IT_IS)));
    }

    @Test
    void everyRestoreKeepsEveryPromise() {
        assertManyDo("restore", RESTORES, AutoSchedule::restoring, Set.of(Rule.RESTORE + ": "), 2);
    }

    @Test
    void everyRestoreThatIsTakenBackKeepsEveryPromise() {
        assertManyDo(
                "regretting", REGRETTING, AutoSchedule::regretting, Set.of("data are put back"), 7);
    }

    @Test
    void everyMachineThatIsInstalledAgainKeepsEveryPromise() {
        assertManyDo("again", AGAIN, AutoSchedule::installedAgain, Set.of("--existing-data"), 4);
    }

    @Test
    void everyMachineWithAFullDiskKeepsEveryPromise() {
        assertManyDo("full", FULL, AutoSchedule::full, Set.of("no space left"), 4);
    }

    @Test
    void everyMachineWithoutTheStoreKeepsEveryPromise() {
        assertManyDo("parted", PARTED, AutoSchedule::parted, Set.of(WaitCode.STORE.text()), 4);
    }

    @Test
    void everyMachineThatMovesKeepsEveryPromise() {
        Set<String> codes = Stream.of(WaitCode.ADDRESS, WaitCode.UNIT, WaitCode.ALARM)
                .map(WaitCode::text)
                .collect(Collectors.toSet());
        assertManyDo("moved", MOVED, AutoSchedule::moved, codes, 7);
    }

    @Test
    void everyScheduleWithForgedEntriesKeepsEveryPromise() {
        assertManyDo(
                "forged", FORGED, AutoSchedule::forged, Set.of("of the token alone writes"), 2);
    }

    @Test
    void everyMuddledScheduleKeepsEveryPromise() {
        assertManyDo(
                "muddled",
                MUDDLED,
                AutoSchedule::muddled,
                Set.of("report of this machine cannot be written", " holds disk "),
                7);
    }

    @Test
    void everyScheduleOfAnOperatorKeepsEveryPromise() {
        assertManyDo(
                "operated",
                OPERATED,
                AutoSchedule::operated,
                Set.of(Rule.CLAIM + ": ", Rule.SHRINK + ": "),
                2);
    }

    /** They keep every promise, and one of the things is done in more than one of so many. */
    private static void assertManyDo(
            String name,
            long schedules,
            LongFunction<AutoSchedule> any,
            Set<String> things,
            int each) {
        Long one = Long.getLong("kjadm.simulation.auto.%s.seed".formatted(name));
        long first = one == null ? FIRST : one;
        long count = one == null ? schedules : 1;
        long done = 0;
        for (long seed = first; seed < first + count; seed++) {
            AutoSchedule schedule = any.apply(seed);
            List<String> log = new ArrayList<>();
            if (AutoSimulation.play(schedule, AS_IT_IS, log).isPresent()) {
                fail(story(schedule, AS_IT_IS));
            }
            done += log.stream().anyMatch(line -> things.stream().anyMatch(line::contains)) ? 1 : 0;
        }
        assertTrue(each * done > count, "%d of %d schedules do %s".formatted(done, count, things));
    }

    @Test
    void aScheduleAlwaysPlaysTheSameWay() {
        for (long seed = 1; seed <= 3; seed++) {
            AutoSchedule schedule = AutoSchedule.of(seed);
            List<String> log = new ArrayList<>();
            List<String> again = new ArrayList<>();
            assertEquals(
                    AutoSimulation.play(schedule, AS_IT_IS, log),
                    AutoSimulation.play(schedule, AS_IT_IS, again));
            assertEquals(log, again);
            assertEquals(schedule, AutoSchedule.of(seed));
        }
    }

    /** By the promise that it breaks, and by no other one. */
    @ParameterizedTest
    @EnumSource(AutoMistake.class)
    void everyMistakeIsNoticed(AutoMistake mistake, TestReporter reporter) {
        OptionalLong noticed = LongStream.range(mistake.first, mistake.first + ENOUGH)
                .filter(seed -> isNoticed(mistake, seed))
                .findFirst();
        assertTrue(noticed.isPresent(), mistake + " breaks nothing: " + mistake.promise);
        if (noticed.getAsLong() > mistake.first + FEW) {
            reporter.publishEntry(mistake + " takes long", "begin at " + noticed.getAsLong());
        }
    }

    private static boolean isNoticed(AutoMistake mistake, long seed) {
        return play(mistake.schedules().apply(seed), mistake)
                .filter(failure -> failure.contains(mistake.promise))
                .isPresent();
    }

    static OptionalLong failing(
            long first, long count, Supplier<? extends AutoTampering> tampering) {
        return LongStream.range(first, first + count)
                .filter(seed -> play(AutoSchedule.of(seed), tampering).isPresent())
                .findFirst();
    }

    private static Optional<String> play(
            AutoSchedule schedule, Supplier<? extends AutoTampering> tampering) {
        return AutoSimulation.play(schedule, tampering, QuietReporter.NOWHERE);
    }

    /** The smallest part of a schedule that still fails, and what the programs say in it. */
    static String story(long seed, Supplier<? extends AutoTampering> tampering) {
        return story(AutoSchedule.of(seed), tampering);
    }

    private static String story(AutoSchedule whole, Supplier<? extends AutoTampering> tampering) {
        AutoSchedule schedule = whole;
        for (AutoFault fault : schedule.faults()) {
            AutoSchedule less = schedule.without(fault);
            if (play(less, tampering).isPresent()) {
                schedule = less;
            }
        }
        List<String> log = new ArrayList<>();
        Optional<String> failure = AutoSimulation.play(schedule, tampering, log);
        return "%s\n%s\nplay it with -Dkjadm.simulation.auto.seed=%d, auto.restore.seed or auto.operated.seed\n%s"
                .formatted(failure.orElse("?"), schedule, schedule.seed(), String.join("\n", log));
    }
}
