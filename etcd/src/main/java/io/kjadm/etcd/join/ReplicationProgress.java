package io.kjadm.etcd.join;

import java.time.Duration;
import java.util.Optional;

/**
 * How far a learner has followed the leader's log, and how fast.
 *
 * @param applied the last entry the learner has applied
 * @param target the leader's commit index
 * @param entriesPerSecond how many entries it applies; 0 while that is not known
 * @param closingPerSecond by how many entries the lag shrinks; negative if it grows
 * @param bytesPerSecond how fast its database grows; 0 while that is not known
 */
public record ReplicationProgress(
        long applied,
        long target,
        double entriesPerSecond,
        double closingPerSecond,
        double bytesPerSecond) {

    /** With no rates known. */
    public ReplicationProgress(long applied, long target) {
        this(applied, target, 0, 0, 0);
    }

    public long lag() {
        return Math.max(0, target - applied);
    }

    public int percent() {
        if (applied >= target) {
            return 100;
        }
        return (int) (applied * 100 / target);
    }

    /** The time until it is level with the leader, if it comes closer. */
    public Optional<Duration> left() {
        if (closingPerSecond <= 0) {
            return Optional.empty();
        }
        return Optional.of(Duration.ofSeconds((long) Math.ceil(lag() / closingPerSecond)));
    }

    @Override
    public String toString() {
        var text = new StringBuilder("%d %% (entry %d of %d".formatted(percent(), applied, target));
        if (entriesPerSecond > 0) {
            text.append(", %.0f entries/s".formatted(entriesPerSecond));
        }
        if (bytesPerSecond > 0) {
            text.append(", %.1f MiB/s".formatted(bytesPerSecond / (1 << 20)));
        }
        left().filter(left -> lag() > 0)
                .ifPresent(left -> text.append(", %d s left".formatted(left.toSeconds())));
        return text.append(')').toString();
    }
}
