package io.kjadm.core.snapshot;

import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.snapshot.SnapshotCatalog.Entry;

import java.util.List;
import java.util.stream.Collectors;

/** Removes what {@link Retention} does not keep, for each cluster by itself. */
public final class SnapshotPrune {

    private final SnapshotCatalog catalog;
    private final Waiter clock;
    private final Reporter out;

    public SnapshotPrune(SnapshotCatalog catalog, Waiter clock, Reporter out) {
        this.catalog = catalog;
        this.clock = clock;
        this.out = out;
    }

    /** What may go; changes nothing. */
    public List<Entry> expired(Retention retention) {
        return catalog.entries().stream()
                .collect(Collectors.groupingBy(Entry::clusterId))
                .values()
                .stream()
                .flatMap(entries -> retention.expired(entries, clock.now()).stream())
                .toList();
    }

    /** Removes them, one after the other. */
    public void remove(List<Entry> expired) {
        for (Entry entry : expired) {
            catalog.remove(entry);
            out.step("snapshot", "Removed snapshot " + entry.name());
        }
        if (expired.isEmpty()) {
            out.step("snapshot", "No snapshot is too old");
        }
    }
}
