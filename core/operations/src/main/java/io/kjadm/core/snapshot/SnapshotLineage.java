package io.kjadm.core.snapshot;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Which clusters a cluster was before: a restore gives a cluster a new ID. Snapshots carry it as a
 * label, so that those of a cluster and of what it was before are not taken for strangers.
 */
public final class SnapshotLineage {

    /** Label: the cluster IDs, with commas between them. */
    public static final String LABEL = "restored-from";

    private SnapshotLineage() {}

    /** The clusters that the labels of a snapshot name; empty if there are none. */
    public static List<String> predecessors(Map<String, String> labels) {
        return Stream.of(labels.getOrDefault(LABEL, "").split(","))
                .filter(id -> !id.isEmpty())
                .toList();
    }

    /** The label's text. */
    public static String text(Collection<String> predecessors) {
        return String.join(",", predecessors);
    }
}
