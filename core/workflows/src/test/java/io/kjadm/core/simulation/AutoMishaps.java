package io.kjadm.core.simulation;

import io.kjadm.etcd.model.VirtualWorld;

import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;

/** What befalls the daemon of an {@link AutoMachine} at the places that it comes to. */
final class AutoMishaps extends Steps {

    /** Of the machine. */
    private final int number;

    private final VirtualWorld world;
    /** Has the daemon stand still for so many milliseconds. */
    private final LongConsumer halts;

    private int killIn = -1;
    private long restart;
    private int haltIn = -1;
    private long halt;
    private long beforeChange;
    private long stoodUntil = Long.MIN_VALUE / 2;
    private long stood;
    private Optional<Mishap> call = Optional.empty();

    AutoMishaps(int number, VirtualWorld world, LongConsumer halts) {
        super(Map.of(), Map.of(), mishap -> {});
        this.number = number;
        this.world = world;
        this.halts = halts;
    }

    @Override
    Trouble next() {
        if (haltIn >= 0 && haltIn-- == 0) {
            stands(halt);
        }
        if (killIn >= 0 && killIn-- == 0) {
            return new Death(new Killed(restart, false));
        }
        return new Nothing();
    }

    @Override
    Optional<Mishap> callMishap() {
        if (beforeChange > 0) {
            long stands = beforeChange;
            beforeChange = 0;
            stands(stands);
        }
        Optional<Mishap> next = call;
        call = Optional.empty();
        return next;
    }

    private void stands(long millis) {
        halts.accept(millis);
        stood = millis;
        stoodUntil = world.now();
    }

    void killLater(int places, long restart) {
        killIn = places;
        this.restart = restart;
    }

    void haltLater(int places, long millis) {
        haltIn = places;
        halt = millis;
    }

    void haltBeforeChange(long millis) {
        beforeChange = millis;
    }

    /** In a new run of the daemon nothing is left of what was to befall the last one at a place. */
    void begins() {
        killIn = -1;
        haltIn = -1;
    }

    /** For how long a call has stood still that is carried out now. */
    long stood() {
        return world.now() - stoodUntil < 20_000 ? stood : 0;
    }

    void nextChange(Mishap.Kind kind, long millis) {
        call = Optional.of(new Mishap(kind, number, 0, Math.min(millis, 7_000)));
    }
}
