package io.kjadm.etcd.join;

import java.time.Duration;

/**
 * How long a join may take.
 *
 * @param fault a fault of the cluster, or nothing that answers on this node
 * @param turn waiting until other members have joined
 * @param stall nothing moves any more: neither applied index nor database nor data directory
 * @param total from the add to the vote
 * @param finalCheck from the vote to the member being well
 * @param rollback removing a learner again
 * @param abandoned when a learner counts as abandoned
 */
public record JoinLimits(
        Duration fault,
        Duration turn,
        Duration stall,
        Duration total,
        Duration finalCheck,
        Duration rollback,
        Abandoned abandoned) {

    /**
     * When a learner counts as abandoned.
     *
     * @param after    so long without progress
     * @param lookBack how far back the moment is looked for at which it was added
     */
    public record Abandoned(Duration after, Duration lookBack) {}

    public static final JoinLimits DEFAULTS = new JoinLimits(
            Duration.ofMinutes(2),
            Duration.ofMinutes(30),
            Duration.ofMinutes(2),
            Duration.ofMinutes(30),
            Duration.ofSeconds(60),
            Duration.ofMinutes(2),
            new Abandoned(Duration.ofMinutes(10), Duration.ofDays(7)));

    public JoinLimits withFault(Duration limit) {
        return new JoinLimits(limit, turn, stall, total, finalCheck, rollback, abandoned);
    }

    public JoinLimits withTurn(Duration limit) {
        return new JoinLimits(fault, limit, stall, total, finalCheck, rollback, abandoned);
    }

    public JoinLimits withStall(Duration limit) {
        return new JoinLimits(fault, turn, limit, total, finalCheck, rollback, abandoned);
    }

    public JoinLimits withTotal(Duration limit) {
        return new JoinLimits(fault, turn, stall, limit, finalCheck, rollback, abandoned);
    }
}
