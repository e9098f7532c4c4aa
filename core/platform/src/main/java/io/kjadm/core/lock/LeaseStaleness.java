package io.kjadm.core.lock;

import java.time.Duration;
import java.time.Instant;

/**
 * How long a Lease has not changed, as seen from here. Only time in which it was looked at counts:
 * clocks of other machines are not compared, and while the API server is away its holder cannot
 * renew it either.
 */
final class LeaseStaleness {

    /**
     * Between two looks; a longer time means that this machine slept, its clock jumped, or nobody
     * answered.
     */
    private static final Duration LONGEST_GAP = Duration.ofSeconds(5);

    private String version = "";
    private Instant last = Instant.MIN;
    private Duration still = Duration.ZERO;

    /** Looks at the Lease. */
    Duration observe(String resourceVersion, Instant now) {
        still = resourceVersion.equals(version) ? still.plus(counted(now)) : Duration.ZERO;
        version = resourceVersion;
        last = now;
        return still;
    }

    private Duration counted(Instant now) {
        if (now.isBefore(last)) {
            return Duration.ZERO;
        }
        Duration gap = Duration.between(last, now);
        return gap.compareTo(LONGEST_GAP) < 0 ? gap : LONGEST_GAP;
    }
}
