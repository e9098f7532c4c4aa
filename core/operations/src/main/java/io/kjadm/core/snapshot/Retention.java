package io.kjadm.core.snapshot;

import static java.time.temporal.TemporalAdjusters.previousOrSame;

import io.kjadm.core.snapshot.SnapshotCatalog.Entry;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Which snapshots of a cluster are kept: the last ones, and the newest of each of the last hours,
 * days, weeks and months that have one. Those that were verified last are kept whatever their age,
 * so that there is always one that is known to be good. One that failed a verification takes no
 * good one's place: it is kept beside it. Neither does one that a wrong clock has dated in the
 * future: it would hold the place of the newest until then. One that a wrong clock has dated before
 * others is kept beside them while it has the highest revision.
 *
 * @param last     so many of the newest
 * @param verified so many of those that stood {@link Verification.Level#STRUCTURE} or more, at
 *                 least one
 */
public record Retention(int last, int hourly, int daily, int weekly, int monthly, int verified) {

    /** An upload of a large database may take so long; one that is older was given up. */
    private static final Duration UNFINISHED = Duration.ofDays(1);

    /** Clocks that are right may differ by so much. */
    private static final Duration AHEAD = Duration.ofMinutes(10);

    public Retention {
        verified = Math.max(1, verified);
    }

    /**
     * Decides; a snapshot whose manifest cannot be read is kept, as nobody knows what it is.
     *
     * @param entries of one cluster
     * @return what may go
     */
    public List<Entry> expired(List<Entry> entries, Instant now) {
        List<Entry> whole = entries.stream()
                .filter(Retention::isWhole)
                .filter(entry -> !isAhead(entry, now))
                .sorted(Comparator.comparing(Retention::taken).reversed())
                .toList();
        // a note that it failed is not signed, so it may spare a snapshot, and never remove one
        Set<Entry> kept = new HashSet<>(
                seats(whole.stream().filter(entry -> !hasFailed(entry)).toList()));
        kept.addAll(seats(whole));
        List<Entry> expired = new ArrayList<>(
                whole.stream().filter(entry -> !kept.contains(entry)).toList());
        entries.stream().filter(entry -> isGivenUp(entry, now)).forEach(expired::add);
        return expired;
    }

    private Set<Entry> seats(List<Entry> whole) {
        Set<Entry> kept = new HashSet<>();
        whole.stream().limit(last).forEach(kept::add);
        kept.addAll(newestOf(whole, hourly, time -> time.truncatedTo(ChronoUnit.HOURS)));
        kept.addAll(newestOf(whole, daily, ZonedDateTime::toLocalDate));
        kept.addAll(newestOf(
                whole, weekly, time -> time.toLocalDate().with(previousOrSame(DayOfWeek.MONDAY))));
        kept.addAll(newestOf(whole, monthly, YearMonth::from));
        whole.stream().filter(Retention::isVerified).limit(verified).forEach(kept::add);
        // by its date it may be an old one, where the clock of its machine is behind
        whole.stream()
                .max(Comparator.comparingLong(Retention::revision))
                .filter(entry -> revision(entry) > revision(whole.getFirst()))
                .ifPresent(kept::add);
        return kept;
    }

    /** When an upload was begun that has not ended: whether it was given up since. */
    static boolean isGivenUp(Instant begun, Instant now) {
        return Duration.between(begun, now).compareTo(UNFINISHED) > 0;
    }

    /** Whether a snapshot has a date of the future: it is kept, and takes no other's place. */
    static boolean isAhead(Entry entry, Instant now) {
        return isWhole(entry) && taken(entry).isAfter(now.plus(AHEAD));
    }

    private static boolean isWhole(Entry entry) {
        return entry.manifest().isPresent() && entry.fault().isEmpty();
    }

    private static boolean hasFailed(Entry entry) {
        return !entry.verifications().isEmpty()
                && !entry.verifications().getLast().passed();
    }

    private static Instant taken(Entry entry) {
        return entry.manifest().orElseThrow().taken();
    }

    private static long revision(Entry entry) {
        return entry.manifest().orElseThrow().plain().content().revision();
    }

    private static boolean isVerified(Entry entry) {
        return entry.standing()
                .filter(standing -> standing.level() != Verification.Level.SUM)
                .isPresent();
    }

    private static List<Entry> newestOf(
            List<Entry> newestFirst, int count, Function<ZonedDateTime, ?> unit) {
        Set<Object> seen = new HashSet<>();
        List<Entry> newest = new ArrayList<>();
        for (Entry entry : newestFirst) {
            Object of = unit.apply(taken(entry).atZone(ZoneOffset.UTC));
            if (seen.size() < count && seen.add(of)) {
                newest.add(entry);
            }
        }
        return newest;
    }

    /**
     * Bytes without a manifest, under a name that kjadm gives. The name tells when the snapshot was
     * taken: a copy or an import that is being written now may be of an old one, so the store says
     * when the last object was written.
     */
    private static boolean isGivenUp(Entry entry, Instant now) {
        return entry.manifest().isEmpty()
                && entry.fault().isEmpty()
                && SnapshotCatalog.begun(entry.name()).isPresent()
                && entry.objects().stream().allMatch(object -> isGivenUp(object.modified(), now));
    }
}
