package io.kjadm.core.simulation;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.lock.Scheduler;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.model.VirtualWorld;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Waits in virtual time, as {@code SystemWaiter} does in real time.
 *
 * @param limited whether waits have a limit
 * @param ahead   by how much the clock is wrong, which a run of a program takes over when it begins
 */
record ProgramWaiter(Program program, VirtualWorld world, boolean limited, Duration ahead)
        implements Waiter {

    /** After so long a machine is in less of a hurry, which spares us most of the looks. */
    private static final long BRISK = 10_000;

    private static final long LEISURELY = 1_600;
    private static final long LONG = 60_000;
    private static final long SLOWLY = 4_000;

    ProgramWaiter(Program program, VirtualWorld world, boolean limited) {
        this(program, world, limited, Duration.ZERO);
    }

    @Override
    public <T> Optional<T> until(Await await, Supplier<Attempt<T>> question) {
        long start = world.now();
        while (true) {
            switch (question.get()) {
                case Attempt.Done<T>(T value) -> {
                    return Optional.of(value);
                }
                case Attempt.NotYet<T>(String answer, Duration atLeast) -> {
                    long waited = world.now() - start;
                    if (limited && waited >= await.limit().toMillis()) {
                        throw new ClusterException(
                                "gave up waiting for " + await.what(),
                                "the last answer was: " + answer,
                                await.next());
                    }
                    long pause = Math.max(await.interval().toMillis(), atLeast.toMillis());
                    long least = waited < BRISK ? 0 : waited < LONG ? LEISURELY : SLOWLY;
                    sleep(await.what(), Math.max(pause, least));
                }
            }
        }
    }

    @Override
    public void pause(String area, String reason, Duration duration) {
        sleep(reason, duration.toMillis());
    }

    private void sleep(String what, long millis) {
        program.point();
        if (Thread.currentThread().isInterrupted()) {
            throw new ClusterException(
                    "interrupted while waiting for " + what,
                    "the program was asked to stop",
                    "run the command again");
        }
        program.pass(millis);
    }

    @Override
    public Instant now() {
        return world.instant().plus(ahead);
    }

    /** Repeats beside the program, as long as that lives. */
    Scheduler background() {
        return (name, first, work) -> {
            boolean[] closed = {false};
            repeat(first, work, closed);
            return () -> closed[0] = true;
        };
    }

    private void repeat(Duration pause, Supplier<Duration> work, boolean[] closed) {
        world.in(Math.max(1, pause.toMillis()), () -> {
            if (program.halted()) {
                repeat(pause, work, closed);
            } else if (!closed[0] && !program.dead()) {
                program.aside(() -> repeat(work.get(), work, closed));
            }
        });
    }
}
