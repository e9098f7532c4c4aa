package io.kjadm.core.simulation;

import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Counts the places at which something befalls the programs of a machine, and their changes. */
class Steps {

    static final Steps UNTROUBLED = new Steps(Map.of(), Map.of(), mishap -> {});

    private final Map<Long, Mishap> points;
    private final Map<Long, Mishap> callMishaps;
    private final Consumer<Mishap> others;
    private long reached;
    private long calls;

    /** What befalls the program at a place. */
    sealed interface Trouble {}

    record Nothing() implements Trouble {}

    /** kill -9. */
    record Death(Killed killed) implements Trouble {}

    /** SIGINT. */
    record Signal() implements Trouble {}

    private static final Trouble NOTHING = new Nothing();

    /**
     * @param points      by the place
     * @param callMishaps by the number of the change
     * @param others      does what is not done to the program
     */
    Steps(Map<Long, Mishap> points, Map<Long, Mishap> callMishaps, Consumer<Mishap> others) {
        this.points = points;
        this.callMishaps = callMishaps;
        this.others = others;
    }

    Trouble next() {
        Mishap here = points.isEmpty() ? null : points.get(reached++);
        if (here == null) {
            return NOTHING;
        }
        return switch (here.kind()) {
            case CRASH -> new Death(new Killed(here.millis(), false));
            case RESET_INSTEAD -> new Death(new Killed(here.millis(), true));
            case INTERRUPT -> new Signal();
            default -> {
                others.accept(here);
                yield NOTHING;
            }
        };
    }

    /** What befalls the next change. */
    Optional<Mishap> callMishap() {
        return Optional.ofNullable(callMishaps.get(calls++));
    }
}
