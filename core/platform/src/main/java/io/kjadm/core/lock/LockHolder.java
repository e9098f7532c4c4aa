package io.kjadm.core.lock;

/**
 * Who holds the lock.
 *
 * @param node name of the node
 * @param run  of the program on it, as {@link ProcessIdentity} names it; empty if the holder is no run of
 *         kjadm
 */
public record LockHolder(String node, String run) {

    /** Cannot be part of a node's name. */
    private static final char BETWEEN = '_';

    /** Reads what is written into the Lease. */
    public static LockHolder parse(String identity) {
        int end = identity.indexOf(BETWEEN);
        return end < 0
                ? new LockHolder(identity, "")
                : new LockHolder(identity.substring(0, end), identity.substring(end + 1));
    }

    /** As it is written into the Lease. */
    public String identity() {
        return run.isEmpty() ? node : node + BETWEEN + run;
    }

    @Override
    public String toString() {
        return run.isEmpty() ? node : "%s (run %s)".formatted(node, run);
    }
}
