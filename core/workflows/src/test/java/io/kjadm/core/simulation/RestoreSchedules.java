package io.kjadm.core.simulation;

import io.kjadm.core.simulation.RestoreSimulation.Outcome;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Plays schedules of restores, one for each seed, and finds the part of one that matters. */
final class RestoreSchedules {

    private RestoreSchedules() {}

    /**
     * What came of many.
     *
     * @param failing a seed that fails, about the first
     * @param founded clusters that restores began
     * @param excused schedules that ended with two clusters by the word of an operator
     * @param refused commands that were refused
     */
    record Sum(OptionalLong failing, long played, long founded, long excused, long refused) {}

    /** Plays those seeds, until one fails. */
    static Sum play(long first, long count, RestoreRules missing) {
        AtomicLong next = new AtomicLong(first);
        AtomicLong failing = new AtomicLong(Long.MAX_VALUE);
        AtomicLong played = new AtomicLong();
        AtomicLong founded = new AtomicLong();
        AtomicLong excused = new AtomicLong();
        AtomicLong refused = new AtomicLong();
        // what all plays share is made by threads of its own, for which players leave no room
        RestoreSimulation.prepare();
        List<Thread> players = IntStream.range(0, Runtime.getRuntime().availableProcessors())
                .mapToObj(_ -> Thread.ofVirtual().start(() -> {
                    for (long seed = next.getAndIncrement();
                            seed < first + count && failing.get() == Long.MAX_VALUE;
                            seed = next.getAndIncrement()) {
                        Outcome outcome = play(RestoreSchedule.of(seed), missing);
                        played.incrementAndGet();
                        founded.addAndGet(outcome.founded());
                        excused.addAndGet(outcome.excused() ? 1 : 0);
                        refused.addAndGet(outcome.refused());
                        if (outcome.violation().isPresent()) {
                            failing.accumulateAndGet(seed, Math::min);
                        }
                    }
                }))
                .toList();
        try {
            for (Thread player : players) {
                player.join();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return new Sum(
                failing.get() == Long.MAX_VALUE
                        ? OptionalLong.empty()
                        : OptionalLong.of(failing.get()),
                played.get(),
                founded.get(),
                excused.get(),
                refused.get());
    }

    private static Outcome play(RestoreSchedule schedule, RestoreRules missing) {
        return RestoreSimulation.play(schedule, missing, RestoreSimulation.NOWHERE);
    }

    /** Plays one, and prints what the programs say. */
    static Sum tell(long seed) {
        List<String> log = new ArrayList<>();
        RestoreSchedule schedule = RestoreSchedule.of(seed);
        System.out.println(schedule);
        Outcome outcome = RestoreSimulation.play(schedule, RestoreRules.ALL_KEPT, log);
        log.forEach(System.out::println);
        return new Sum(
                outcome.violation().isPresent() ? OptionalLong.of(seed) : OptionalLong.empty(),
                1,
                outcome.founded(),
                outcome.excused() ? 1 : 0,
                outcome.refused());
    }

    /** How it fails, and the smallest part of it that does. */
    static String story(long seed, RestoreRules missing) {
        RestoreSchedule smallest = smallest(RestoreSchedule.of(seed), missing);
        List<String> log = new ArrayList<>();
        return "%s%nreplay with -Dkjadm.simulation.restore=%d; the smallest schedule that fails:%n  %s%n%s"
                .formatted(
                        RestoreSimulation.play(smallest, missing, log)
                                .violation()
                                .orElseThrow(),
                        seed,
                        smallest,
                        String.join("\n", log));
    }

    /** Leaves out what is not needed for the failure, until nothing more can be left out. */
    private static RestoreSchedule smallest(RestoreSchedule failing, RestoreRules missing) {
        RestoreSchedule smallest = failing;
        while (true) {
            RestoreSchedule last = smallest;
            var smaller = smallerOnes(last)
                    .filter(candidate -> play(candidate, missing).violation().isPresent())
                    .findFirst();
            if (smaller.isEmpty()) {
                return last;
            }
            smallest = smaller.get();
        }
    }

    private static Stream<RestoreSchedule> smallerOnes(RestoreSchedule schedule) {
        return IntStream.range(0, schedule.events().size()).mapToObj(left -> {
            List<RestoreSchedule.Event> fewer = new ArrayList<>(schedule.events());
            fewer.remove(left);
            return schedule.with(fewer);
        });
    }
}
