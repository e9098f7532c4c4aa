package io.kjadm.core.simulation;

import io.kjadm.etcd.model.VirtualWorld;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * All programs of a play. Exactly one thread plays at any time: it takes what happens next out of
 * the {@link VirtualWorld} until that is its own going on, or hands over to the program that goes
 * on next.
 */
final class Cast {

    private final VirtualWorld world;
    private final BooleanSupplier ended;
    private final List<Program> alive = new ArrayList<>();
    private final Program audience;
    private Optional<Throwable> failure = Optional.empty();
    private boolean over;

    private record GoingOn(Program program) implements Runnable {
        @Override
        public void run() {
            throw new IllegalStateException("not by calling it");
        }
    }

    private record Beginning(Program program, Consumer<Program> play) implements Runnable {
        @Override
        public void run() {
            throw new IllegalStateException("not by calling it");
        }
    }

    /** @param ended whether nothing more has to be played */
    Cast(VirtualWorld world, BooleanSupplier ended) {
        this.world = world;
        this.ended = ended;
        this.audience = new Program(this, world, Steps.UNTROUBLED, false);
    }

    /** Begins a program after that time. */
    void begin(long delay, Program program, Consumer<Program> play) {
        world.in(delay, new Beginning(program, play));
    }

    /** Plays everything to its end; throws what a program threw. */
    void play() {
        try {
            goOn(audience);
        } finally {
            dismiss();
        }
        failure.ifPresent(Cast::raise);
    }

    private static void raise(Throwable failure) {
        switch (failure) {
            case Error error -> throw error;
            case RuntimeException known -> throw known;
            default -> throw new IllegalStateException(failure);
        }
    }

    boolean over() {
        return over;
    }

    /** Called by the one that plays. */
    void pass(Program program, long millis) {
        world.in(millis, new GoingOn(program));
        goOn(program);
    }

    /** Returns when it is the turn of that program. */
    private void goOn(Program me) {
        Optional<Program> next = Optional.empty();
        try {
            next = next();
        } catch (Throwable failed) {
            failure = failure.or(() -> Optional.of(failed));
        }
        if (failure.isPresent()) {
            next = Optional.of(audience);
        }
        Program other = next.orElseThrow();
        if (other != me) {
            other.wake();
            me.await();
        }
    }

    /** Lets happen what happens until a program goes on; a new one begins in a thread of its own. */
    private Optional<Program> next() {
        while (!over && !ended.getAsBoolean()) {
            switch (world.next()) {
                case GoingOn(Program program) -> {
                    if (!program.dead()) {
                        return Optional.of(program);
                    }
                }
                case Beginning(Program program, Consumer<Program> play) -> {
                    alive.add(program);
                    Thread.ofVirtual().start(() -> {
                        program.await();
                        perform(program, play);
                    });
                    return Optional.of(program);
                }
                case Runnable happening -> happening.run();
            }
        }
        return Optional.of(audience);
    }

    private void perform(Program program, Consumer<Program> play) {
        program.begun();
        try {
            play.accept(program);
        } catch (Throwable failed) {
            // who is dismissed dies
            failure = over ? failure : failure.or(() -> Optional.of(failed));
        }
        program.end();
        alive.remove(program);
        if (over || failure.isPresent()) {
            audience.wake();
            return;
        }
        Program next;
        try {
            next = next().orElseThrow();
        } catch (Throwable failed) {
            failure = Optional.of(failed);
            next = audience;
        }
        next.wake();
    }

    /** Whoever still waits for its turn is killed, one after the other. */
    private void dismiss() {
        over = true;
        while (!alive.isEmpty()) {
            alive.getFirst().wake();
            audience.await();
        }
    }
}
