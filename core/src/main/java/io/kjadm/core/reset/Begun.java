package io.kjadm.core.reset;

import io.kjadm.core.phase.Uninterrupted;

import java.util.function.Supplier;

/**
 * Parts of a reset that have begun: a signal lets them end, and the reset goes on to its end too,
 * since a node that is half reset is of no use to anybody. Their own limits bound them.
 */
final class Begun {

    private Begun() {}

    static <T> T toItsEnd(Supplier<T> work) {
        try {
            return Uninterrupted.call(work);
        } finally {
            Thread.interrupted();
        }
    }
}
