package io.kjadm.core.simulation;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Plays schedules, one for each seed, until one fails, and finds the part of it that matters.
 *
 * @param of       the schedule of a seed
 * @param property the system property that has a test play one seed alone, telling what is said
 */
record Schedules(LongFunction<Schedule> of, String property) {

    private static final EtcdVersion BEFORE_3_6 = new EtcdVersion(3, 5, 0);

    static Schedules joins() {
        return new Schedules(Schedule::of, "kjadm.simulation.seed");
    }

    static Schedules upgrades() {
        return new Schedules(Schedule::withUpgrades, "kjadm.simulation.upgrade");
    }

    /** A seed that fails, about the first; one that is played alone tells what is said. */
    OptionalLong failing(long first, long count, Supplier<? extends Tampering> tampering) {
        return count == 1
                ? told(first, tampering)
                : firstOf(
                        first,
                        count,
                        seed -> Simulation.play(of.apply(seed), tampering).isPresent());
    }

    /** A seed that fails with these words, about the first from {@code first} on. */
    OptionalLong violating(
            String words, long first, long count, Supplier<? extends Tampering> tampering) {
        return firstOf(
                first,
                count,
                seed -> Simulation.play(of.apply(seed), tampering)
                        .filter(story -> story.contains(words))
                        .isPresent());
    }

    private OptionalLong told(long seed, Supplier<? extends Tampering> tampering) {
        List<String> log = new ArrayList<>();
        Schedule schedule = of.apply(seed);
        System.out.println(schedule);
        Optional<String> failure = Simulation.play(schedule, tampering, log);
        log.forEach(System.out::println);
        return failure.isPresent() ? OptionalLong.of(seed) : OptionalLong.empty();
    }

    /** A seed for which that holds, about the first. */
    private static OptionalLong firstOf(long first, long count, LongPredicate wanted) {
        AtomicLong next = new AtomicLong(first);
        AtomicLong found = new AtomicLong(Long.MAX_VALUE);
        List<Thread> players = new ArrayList<>();
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            // programs hand over to each other most cheaply among virtual threads
            players.add(Thread.ofVirtual().start(() -> {
                for (long seed = next.getAndIncrement();
                        seed < first + count && found.get() == Long.MAX_VALUE;
                        seed = next.getAndIncrement()) {
                    if (wanted.test(seed)) {
                        found.accumulateAndGet(seed, Math::min);
                    }
                }
            }));
        }
        try {
            for (Thread player : players) {
                player.join();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return found.get() == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(found.get());
    }

    /** How it fails, and the smallest part of it that does. */
    String story(long seed, Supplier<? extends Tampering> tampering) {
        Schedule smallest = smallest(of.apply(seed), tampering);
        return "%s%nreplay with -D%s=%d; the smallest schedule that fails:%n  %s"
                .formatted(
                        Simulation.play(smallest, tampering).orElseThrow(),
                        property,
                        seed,
                        smallest);
    }

    /** Leaves out what is not needed for the failure, until nothing more can be left out. */
    private static Schedule smallest(Schedule failing, Supplier<? extends Tampering> tampering) {
        Schedule smallest = failing;
        while (true) {
            Schedule last = smallest;
            Optional<Schedule> smaller = smallerOnes(last)
                    .filter(candidate -> Simulation.play(candidate, tampering).isPresent())
                    .findFirst();
            if (smaller.isEmpty()) {
                return last;
            }
            smallest = smaller.get();
        }
    }

    private static Stream<Schedule> smallerOnes(Schedule schedule) {
        List<Schedule> candidates = new ArrayList<>();
        if (schedule.joiners() > 1) {
            candidates.add(schedule.withFewerJoiners());
        }
        if (!schedule.leavers().isEmpty()) {
            candidates.add(schedule.withFewerLeavers());
        }
        if (!schedule.upgraders().isEmpty()) {
            candidates.add(schedule.withFewerUpgraders());
        }
        if (!schedule.oddities().equals(Schedule.Oddities.NONE)) {
            candidates.add(schedule.with(Schedule.Oddities.NONE));
        }
        for (int i = 0; i < schedule.mishaps().size(); i++) {
            List<Mishap> fewer = new ArrayList<>(schedule.mishaps());
            fewer.remove(i);
            candidates.add(schedule.with(fewer));
        }
        return candidates.stream();
    }

    // ---- untrue answers

    /** What that member would say if it were as well as another one. */
    static MemberStatus as(MemberId id, MemberStatus other) {
        return new MemberStatus(
                id,
                other.clusterId(),
                other.leaderId(),
                other.versions(),
                other.dbSizeBytes(),
                other.raftTerm(),
                other.raftIndex(),
                other.appliedIndex(),
                false,
                List.of());
    }

    /** As if the cluster version had not risen. */
    static MemberStatus unrisen(MemberStatus status) {
        return new MemberStatus(
                status.memberId(),
                status.clusterId(),
                status.leaderId(),
                new MemberStatus.Versions(
                        status.version(),
                        status.versions().storage().map(risen -> BEFORE_3_6),
                        false),
                status.dbSizeBytes(),
                status.raftTerm(),
                status.raftIndex(),
                status.appliedIndex(),
                status.learner(),
                List.of());
    }
}
