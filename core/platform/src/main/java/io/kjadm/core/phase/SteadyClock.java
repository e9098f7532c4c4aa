package io.kjadm.core.phase;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The machine's time at the start of the program, and from there on what has really passed. The
 * clock of a new machine is set by minutes while programs run; a window of seconds in which a
 * change to etcd may still come must neither end by that nor last for ever.
 */
public final class SteadyClock implements InstantSource {

    private final Instant began;
    private final long beganNanos;
    private final LongSupplier nanos;

    /** Begins now. */
    public SteadyClock() {
        this(InstantSource.system(), System::nanoTime);
    }

    SteadyClock(InstantSource wall, LongSupplier nanos) {
        this.began = wall.instant();
        this.beganNanos = nanos.getAsLong();
        this.nanos = nanos;
    }

    @Override
    public Instant instant() {
        return began.plusNanos(nanos.getAsLong() - beganNanos);
    }
}
