package io.kjadm.core.etcd.upkeep;

import java.time.Duration;

/**
 * Which members are worth it.
 *
 * @param threshold    the free part of a database, from 0 to 1, from which on it is
 * @param minFreeBytes and so much of it at least
 * @param all          every member, whatever is free
 * @param pause        between two members
 * @param slowDisk     whether a member is done although its disk is slow
 */
public record DefragOptions(
        double threshold, long minFreeBytes, boolean all, Duration pause, boolean slowDisk) {

    /** As the command does it if nothing else is said. */
    public static final DefragOptions DEFAULTS =
            new DefragOptions(0.45, 100L << 20, false, Duration.ofSeconds(30), false);

    /** Every member, one right after the other: while nobody can write, nobody is disturbed. */
    static final DefragOptions EVERYBODY = new DefragOptions(0, 0, true, Duration.ZERO, true);
}
