package io.kjadm.etcd.join;

import io.kjadm.etcd.join.Mishap.Kind;
import java.util.Map;
import java.util.Optional;

/** Counts the places at which a program on a machine may die, and its calls. */
final class Steps {

    private final Map<Long, Mishap> crashes;
    private final Map<Long, Mishap> callMishaps;
    private final Runnable interrupt;
    private long points;
    private long calls;

    /**
     * @param crashes     by the place
     * @param callMishaps by the number of the call
     * @param interrupt   done where a program is to be interrupted
     */
    Steps(Map<Long, Mishap> crashes, Map<Long, Mishap> callMishaps, Runnable interrupt) {
        this.crashes = crashes;
        this.callMishaps = callMishaps;
        this.interrupt = interrupt;
    }

    Optional<Mishap> crashNow() {
        Optional<Mishap> here = Optional.ofNullable(crashes.get(points++));
        here.filter(mishap -> mishap.kind() == Kind.INTERRUPT).ifPresent(now -> interrupt.run());
        return here.filter(mishap -> mishap.kind() == Kind.CRASH);
    }

    void mayDie() {
        crashNow().ifPresent(mishap -> {
            throw new Killed(mishap.millis());
        });
    }

    Optional<Mishap> callMishap() {
        return Optional.ofNullable(callMishaps.get(calls++));
    }
}
