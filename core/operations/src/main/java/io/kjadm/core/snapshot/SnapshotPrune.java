package io.kjadm.core.snapshot;

import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.snapshot.SnapshotCatalog.Entry;
import io.kjadm.store.ObjectStore.Unfinished;
import io.kjadm.store.StoreException;

import java.util.List;
import java.util.stream.Collectors;

/** Removes what {@link Retention} does not keep, for each cluster by itself. */
public final class SnapshotPrune {

    private static final String AREA = "snapshot";

    private final SnapshotCatalog catalog;
    private final Waiter clock;
    private final Reporter out;

    public SnapshotPrune(SnapshotCatalog catalog, Waiter clock, Reporter out) {
        this.catalog = catalog;
        this.clock = clock;
        this.out = out;
    }

    /**
     * What may go.
     *
     * @param unfinished writes that were given up, of which no snapshot shows anything
     */
    public record Expired(List<Entry> entries, List<Unfinished> unfinished) {}

    /**
     * What may go; changes nothing. Snapshots that are not accepted here take no place of those
     * that are, and go by the same rules among themselves. Objects with names that kjadm never gives
     * are warned of, and snapshots of the future.
     */
    public Expired expired(Retention retention) {
        warnOfOthers();
        List<Entry> all = catalog.entries();
        warnOfFuture(all);
        List<Entry> entries = all.stream()
                .collect(Collectors.groupingBy(
                        entry -> List.of(entry.clusterId(), catalog.accepts(entry))))
                .values()
                .stream()
                .flatMap(group -> retention.expired(group, clock.now()).stream())
                .toList();
        return new Expired(entries, givenUp());
    }

    private void warnOfOthers() {
        List<String> others = catalog.others();
        if (!others.isEmpty()) {
            out.warn(
                    "%d objects among the snapshots belong to none, and are not removed; the first is %s. Next: find out who writes to the store"
                            .formatted(others.size(), others.getFirst()));
        }
    }

    private void warnOfFuture(List<Entry> entries) {
        List<String> ahead = entries.stream()
                .filter(entry -> Retention.isAhead(entry, clock.now()))
                .map(Entry::name)
                .sorted()
                .toList();
        if (!ahead.isEmpty()) {
            out.warn(
                    "snapshots with a date in the future are kept, beside those that the --keep flags count: %d, the last one is %s. Next: compare the clock of this machine with that of the one that took them"
                            .formatted(ahead.size(), ahead.getLast()));
        }
    }

    private List<Unfinished> givenUp() {
        try {
            return catalog.unfinished().stream()
                    .filter(write -> Retention.isGivenUp(write.since(), clock.now()))
                    .toList();
        } catch (StoreException e) {
            out.warn("interrupted writes cannot be listed, and stay: " + e.getMessage());
            return List.of();
        }
    }

    /** Removes them, one after the other. */
    public void remove(Expired expired) {
        for (Entry entry : expired.entries()) {
            out.step(
                    AREA,
                    catalog.remove(entry)
                            ? "Removed snapshot " + entry.name()
                            : "Kept snapshot %s: a copy has completed it".formatted(entry.name()));
        }
        for (Unfinished write : expired.unfinished()) {
            catalog.abandon(write);
            out.step(AREA, "Removed the rest of an interrupted write: " + write.key());
        }
        if (expired.entries().isEmpty()) {
            out.step(AREA, "No snapshot is too old");
        }
    }
}
