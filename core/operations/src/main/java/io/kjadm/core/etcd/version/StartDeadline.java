package io.kjadm.core.etcd.version;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.Waiter;

import java.time.Duration;
import java.time.Instant;

/** Who is seen to get on is not given up: a large database is loaded for minutes. */
public final class StartDeadline {

    /** However much it gets on. */
    public static final Duration LONGEST = Duration.ofMinutes(40);

    private final ComponentJudge judge;
    private final Waiter clock;
    private final Duration limit;
    private final String next;
    private Instant since;

    /**
     * @param limit without a sign that it gets on
     * @param next  what to do when it is over
     */
    public StartDeadline(ComponentJudge judge, Waiter clock, Duration limit, String next) {
        this.judge = judge;
        this.clock = clock;
        this.limit = limit;
        this.next = next;
        this.since = clock.now();
    }

    /**
     * Looks whether there is time left.
     *
     * @param problem what is not as it should be yet
     * @throws ClusterException if there is none
     */
    public void requireTime(String component, String problem) {
        Instant now = clock.now();
        if (judge.starting()) {
            since = now;
        } else if (Duration.between(since, now).compareTo(limit) >= 0) {
            throw new ClusterException(
                    "%s did not work within %d s".formatted(component, limit.toSeconds()),
                    problem,
                    next);
        }
    }
}
