package io.kjadm.etcd.auto;

import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Quorum;

import java.util.Objects;

/**
 * The cluster that is wanted: what {@code etcd seed} was told.
 *
 * @param version  of etcd
 * @param nodes    how many voters
 * @param formWith how many voters there are before clients may use the cluster
 */
public record ClusterSpec(EtcdVersion version, int nodes, int formWith) {

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
    }

    /** A cluster that forms with a majority of its voters: 2 of 3, 3 of 5. */
    public static ClusterSpec of(EtcdVersion version, int nodes) {
        return new ClusterSpec(version, nodes, new Quorum(nodes).size());
    }
}
