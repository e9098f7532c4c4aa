package io.kjadm.etcd.auto;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Quorum;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The cluster that is wanted: what {@code etcd seed} was told.
 *
 * @param version  of etcd
 * @param nodes    how many voters
 * @param formWith how many voters there are before clients may use the cluster
 * @param replaceAfter how long a voter is down and its machine silent before another machine takes its
 *                     place; empty if a person decides that
 * @param unsaved whether a voter is removed without a snapshot that was saved just before
 */
public record ClusterSpec(
        EtcdVersion version,
        int nodes,
        int formWith,
        Optional<Duration> replaceAfter,
        boolean unsaved) {

    /** A machine may take some minutes to start again. */
    public static final Duration REPLACE_AFTER = Duration.ofMinutes(10);

    /** Less is no proof of anything. */
    public static final Duration SOONEST = Duration.ofMinutes(2);

    /** The most voters: etcd's own advice is not more than seven. */
    public static final int MOST_NODES = 7;

    public ClusterSpec {
        Objects.requireNonNull(version, "version");
        if (nodes < 1 || nodes > MOST_NODES) {
            throw new IllegalArgumentException(
                    "%d nodes: from 1 to %d are possible".formatted(nodes, MOST_NODES));
        }
        if (formWith < 1 || formWith > nodes) {
            throw new IllegalArgumentException(
                    "a cluster of %d cannot form with %d".formatted(nodes, formWith));
        }
        if (replaceAfter.filter(after -> after.compareTo(SOONEST) < 0).isPresent()) {
            throw new IllegalArgumentException("a machine is replaced after %d min at the earliest"
                    .formatted(SOONEST.toMinutes()));
        }
    }

    /** In words. */
    public String text() {
        return "etcd %s, %d nodes, %s%s"
                .formatted(
                        version,
                        nodes,
                        replaceAfter
                                .map(after ->
                                        "replacement after %d min".formatted(after.toMinutes()))
                                .orElse("no replacement"),
                        unsaved ? ", no snapshot before a voter is removed" : "");
    }

    /** A cluster that forms with a majority of its voters: 2 of 3, 3 of 5. */
    public static ClusterSpec of(EtcdVersion version, int nodes) {
        return new ClusterSpec(
                version, nodes, new Quorum(nodes).size(), Optional.of(REPLACE_AFTER), false);
    }
}
