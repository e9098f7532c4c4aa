package io.kjadm.e2e.cluster;

import static java.util.stream.Collectors.joining;

import java.time.Duration;
import java.util.List;

/**
 * What became of the writes of a {@link Writer}.
 *
 * @param acknowledged in order
 * @param failures when and why a write was not acknowledged, for each that was not
 * @param missed how often a key that was acknowledged was not there when it was read, linearizably
 */
public record Writes(List<Acknowledged> acknowledged, List<String> failures, int missed) {

    /**
     * One write.
     *
     * @param number of the key
     * @param at in milliseconds since 1970
     */
    public record Acknowledged(int number, long at) {}

    public Writes {
        acknowledged = List.copyOf(acknowledged);
        failures = List.copyOf(failures);
    }

    public int failed() {
        return failures.size();
    }

    /**
     * Those after {@code earlier}, and the last one of before, from which the first gap is counted.
     */
    public Writes since(Writes earlier) {
        var from = Math.max(0, earlier.acknowledged.size() - 1);
        return new Writes(
                acknowledged.subList(from, acknowledged.size()),
                failures.subList(earlier.failed(), failed()),
                missed - earlier.missed);
    }

    /** The longest time between two acknowledged writes. */
    public Duration longestGap() {
        long longest = 0;
        for (int i = 1; i < acknowledged.size(); i++) {
            longest = Math.max(
                    longest, acknowledged.get(i).at() - acknowledged.get(i - 1).at());
        }
        return Duration.ofMillis(longest);
    }

    @Override
    public String toString() {
        return "%d writes, %d failed, longest gap %.1f s%s"
                .formatted(
                        acknowledged.size(),
                        failed(),
                        longestGap().toMillis() / 1000.0,
                        failures.stream().limit(3).map("; "::concat).collect(joining()));
    }
}
