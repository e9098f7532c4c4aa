package io.kjadm.core.simulation;

import io.kjadm.core.error.HostException;
import io.kjadm.etcd.model.Violation;
import io.kjadm.etcd.model.VirtualWorld;

import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * One run of a program on a machine. Production code waits in the stack of its caller, so each run
 * has a thread of its own; but only the one plays whose time it is, and it hands over to the next.
 */
final class Program {

    /** In no time at all nobody asks that often. */
    private static final int ROUND_AND_ROUND = 5_000;

    private final Cast cast;
    private final VirtualWorld world;
    private final Steps steps;
    private final boolean interruptsEverything;
    private Thread main;
    private volatile Thread parked;
    private volatile boolean ready;
    private boolean dead;
    /** How it was killed, if it was; what cleans up behind a failure finds the same end. */
    private Optional<Killed> killed = Optional.empty();

    private boolean interrupted;
    private boolean background;
    private boolean halted;
    private long asked;
    private long askedAt;

    /** @param interruptsEverything also what production keeps from being interrupted */
    Program(Cast cast, VirtualWorld world, Steps steps, boolean interruptsEverything) {
        this.cast = cast;
        this.world = world;
        this.steps = steps;
        this.interruptsEverything = interruptsEverything;
    }

    // ---- what the cast does with it

    /** Whoever calls this plays on; this one waits for its turn. */
    void await() {
        // work that must not be cut short runs on a thread of its own
        boolean flag = Thread.interrupted();
        Thread thread = Thread.currentThread();
        parked = thread;
        while (!ready) {
            LockSupport.park(this);
            flag |= Thread.interrupted();
        }
        ready = false;
        parked = null;
        if (flag) {
            thread.interrupt();
        }
    }

    void wake() {
        ready = true;
        LockSupport.unpark(parked);
    }

    void begun() {
        main = Thread.currentThread();
    }

    void end() {
        dead = true;
    }

    // ---- what happens to it

    /** A place where it may be killed or interrupted. */
    void point() {
        if (background) {
            return;
        }
        requireLife();
        asked = world.now() == askedAt ? asked + 1 : 0;
        askedAt = world.now();
        if (asked > ROUND_AND_ROUND) {
            throw new Violation("a program goes round and round and waits for nothing");
        }
        die(deathNow());
    }

    /** Goes one place further; whether it is killed there, which is for the caller to do. */
    Optional<Killed> deathNow() {
        return switch (steps.next()) {
            case Steps.Nothing _ -> Optional.empty();
            case Steps.Death(Killed killed) -> Optional.of(killed);
            case Steps.Signal _ -> {
                interrupt();
                yield Optional.empty();
            }
        };
    }

    void die(Optional<Killed> death) {
        if (death.isPresent()) {
            dead = true;
            killed = death;
            throw death.get();
        }
    }

    /** kill -9 while it waits; it never goes on. */
    void kill() {
        dead = true;
    }

    private void requireLife() {
        if (dead || cast.over()) {
            dead = true;
            throw killed.map(death -> new Killed(death.restart, death.reset))
                    .orElseGet(() -> new Killed(Killed.NEVER, false));
        }
    }

    boolean dead() {
        return dead;
    }

    /** SIGINT comes. */
    void interrupt() {
        interrupted = true;
        main.interrupt();
        if (interruptsEverything) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether it was ever asked to stop. */
    boolean interrupted() {
        return interrupted;
    }

    Steps steps() {
        return steps;
    }

    /** Lets others go on for that long. */
    void pass(long millis) {
        if (background) {
            return;
        }
        requireLife();
        cast.pass(this, millis);
        requireLife();
    }

    /** SIGSTOP, and SIGCONT after that time; what it does beside its run stands still too. */
    void halt(long millis) {
        halted = true;
        pass(millis);
        halted = false;
    }

    boolean halted() {
        return halted;
    }

    /** Disk and processes fail a thread that is asked to stop. */
    void requireNoSignal(String what) {
        if (Thread.currentThread().isInterrupted()) {
            throw new HostException(what, "the program was asked to stop", "");
        }
    }

    /** Does something beside its run, in no time. */
    void aside(Runnable work) {
        background = true;
        try {
            work.run();
        } finally {
            background = false;
        }
    }
}
