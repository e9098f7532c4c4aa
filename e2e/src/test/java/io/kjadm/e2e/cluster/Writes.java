package io.kjadm.e2e.cluster;

import java.time.Duration;
import java.util.List;

/**
 * What became of the writes of a {@link Writer}.
 *
 * @param acknowledgedAt when each was acknowledged, in milliseconds since 1970, in order
 * @param failed how many were not
 */
public record Writes(List<Long> acknowledgedAt, int failed) {
    public Writes {
        acknowledgedAt = List.copyOf(acknowledgedAt);
    }

    /** Those after {@code earlier}, and the last one of before, from which the first gap is counted. */
    public Writes since(Writes earlier) {
        var from = Math.max(0, earlier.acknowledgedAt.size() - 1);
        return new Writes(acknowledgedAt.subList(from, acknowledgedAt.size()), failed - earlier.failed);
    }

    /** The longest time between two acknowledged writes. */
    public Duration longestGap() {
        long longest = 0;
        for (int i = 1; i < acknowledgedAt.size(); i++) {
            longest = Math.max(longest, acknowledgedAt.get(i) - acknowledgedAt.get(i - 1));
        }
        return Duration.ofMillis(longest);
    }

    @Override
    public String toString() {
        return "%d writes, %d failed, longest gap %.1f s".formatted(
                acknowledgedAt.size(), failed, longestGap().toMillis() / 1000.0);
    }
}
