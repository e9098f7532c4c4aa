package io.kjadm.core.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.snapshot.SnapshotCatalog.Entry;
import io.kjadm.core.snapshot.SnapshotManifest.Origin;
import io.kjadm.core.snapshot.SnapshotManifest.Plain;
import io.kjadm.core.snapshot.SnapshotManifest.Stored;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.core.snapshot.sign.SignatureState;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.snapshot.SnapshotContent;
import io.kjadm.store.ObjectStore.StoredObject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

class RetentionTest {

    private static final Instant NOW = Instant.parse("2026-11-26T12:30:00Z");

    private static Entry entry(Instant taken, Verification... verifications) {
        return entry(taken, 5, verifications);
    }

    private static Entry entry(Instant taken, long revision, Verification... verifications) {
        String name = SnapshotCatalog.stamp(taken) + "-0001";
        var manifest = new SnapshotManifest(
                name,
                new Origin("abc", new MemberId(1), "cp-1", EtcdVersion.parse("3.6.14")),
                taken,
                new Plain(
                        new SnapshotContent(
                                revision,
                                0,
                                new SnapshotContent.Total(1, 0),
                                4096,
                                new SnapshotContent.AppliedEntry(5, 1),
                                Optional.empty(),
                                List.of()),
                        4128,
                        "00"),
                new Stored(4128, "00", SnapshotEncoding.NONE),
                List.of(),
                Map.of());
        return new Entry(
                "abc",
                name,
                Optional.of(manifest),
                "",
                SignatureState.UNSIGNED,
                List.of(verifications),
                List.of());
    }

    private static Verification stood(Level level) {
        return new Verification(level, NOW, Duration.ZERO, true, "");
    }

    private static List<Instant> kept(Retention retention, List<Entry> entries) {
        List<Entry> expired = retention.expired(entries, NOW);
        return entries.stream()
                .filter(entry -> !expired.contains(entry))
                .map(entry -> entry.manifest().orElseThrow().taken())
                .toList();
    }

    private static List<Entry> every(Duration step, int count) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(entry(NOW.minus(step.multipliedBy(i))));
        }
        return entries;
    }

    @Test
    void theLastOnesAreKept() {
        assertEquals(
                List.of(NOW, NOW.minusSeconds(60)),
                kept(new Retention(2, 0, 0, 0, 0, 1), every(Duration.ofMinutes(1), 5)));
    }

    @Test
    void ofEachHourTheNewestIsKept() {
        List<Instant> kept =
                kept(new Retention(0, 3, 0, 0, 0, 1), every(Duration.ofMinutes(10), 30));
        assertEquals(
                List.of(
                        Instant.parse("2026-11-26T12:30:00Z"),
                        Instant.parse("2026-11-26T11:50:00Z"),
                        Instant.parse("2026-11-26T10:50:00Z")),
                kept);
    }

    /** The 26th is a Thursday. */
    @Test
    void ofEachDayWeekAndMonthTheNewestIsKept() {
        List<Entry> daily = every(Duration.ofDays(1), 100);
        assertEquals(
                List.of("2026-11-26", "2026-11-25"),
                days(kept(new Retention(0, 0, 2, 0, 0, 1), daily)));
        assertEquals(
                List.of("2026-11-26", "2026-11-22", "2026-11-15"),
                days(kept(new Retention(0, 0, 0, 3, 0, 1), daily)));
        assertEquals(
                List.of("2026-11-26", "2026-10-31", "2026-09-30"),
                days(kept(new Retention(0, 0, 0, 0, 3, 1), daily)));
    }

    /** The clock of the machine that took it is a month behind, and {@code latest} finds it. */
    @Test
    void theOneWithTheHighestRevisionIsKeptWhateverItsDate() {
        List<Entry> entries = every(Duration.ofHours(1), 5);
        Instant behind = NOW.minus(Duration.ofDays(31));
        entries.add(entry(behind.minusSeconds(60), 98));
        entries.add(entry(behind, 99));

        assertEquals(List.of(NOW, behind), kept(new Retention(1, 0, 0, 0, 0, 0), entries));
    }

    private static List<String> days(List<Instant> times) {
        return times.stream().map(time -> time.toString().substring(0, 10)).toList();
    }

    @Test
    void theLastThatIsKnownToBeGoodIsKeptWhateverItsAge() {
        List<Entry> entries = every(Duration.ofHours(1), 5);
        entries.add(entry(NOW.minus(Duration.ofDays(500)), stood(Level.STRUCTURE)));
        entries.add(entry(NOW.minus(Duration.ofDays(501)), stood(Level.STRUCTURE)));

        assertEquals(
                List.of(NOW, NOW.minus(Duration.ofDays(500))),
                kept(new Retention(1, 0, 0, 0, 0, 0), entries));
    }

    @Test
    void aSumOrAFailureSinceIsNotEnough() {
        Verification failed =
                new Verification(Level.SUM, NOW, Duration.ZERO, false, "its bytes are others");
        List<Entry> entries = List.of(
                entry(NOW, stood(Level.SUM)),
                entry(NOW.minusSeconds(60), stood(Level.STRUCTURE), failed),
                entry(NOW.minusSeconds(120), stood(Level.STRUCTURE)));

        assertEquals(
                List.of(NOW.minusSeconds(120)), kept(new Retention(0, 0, 0, 0, 0, 1), entries));
    }

    /** A note that it failed may come from another program, so it removes nothing either. */
    @Test
    void oneThatIsKnownToBeBadTakesNoGoodOnesPlace() {
        Verification failed =
                new Verification(Level.SUM, NOW, Duration.ZERO, false, "its bytes are others");
        Entry bad = entry(NOW, failed);
        Entry good = entry(NOW.minusSeconds(60));
        Entry older = entry(NOW.minusSeconds(120));

        assertEquals(
                List.of(NOW, NOW.minusSeconds(60)),
                kept(new Retention(0, 1, 0, 0, 0, 1), List.of(bad, good, older)));
        assertEquals(
                List.of(NOW, NOW.minusSeconds(60)),
                kept(new Retention(1, 0, 0, 0, 0, 1), List.of(bad, good, older)));
    }

    /** A copy and an import keep the time of the snapshot in its name. */
    @Test
    void whatNobodyFinishedGoesADayAfterItWasWritten() {
        Instant taken = NOW.minus(Duration.ofDays(40));
        Entry young = unfinished(taken, NOW.minus(Duration.ofDays(2)), NOW.minusSeconds(60));
        Entry old =
                unfinished(taken, NOW.minus(Duration.ofDays(2)), NOW.minus(Duration.ofHours(25)));
        Entry unreadable = new Entry(
                "abc",
                SnapshotCatalog.stamp(NOW.minus(Duration.ofDays(9))),
                Optional.empty(),
                "manifest.json: no JSON",
                SignatureState.UNSIGNED,
                List.of(),
                List.of());

        assertEquals(
                List.of(old),
                new Retention(0, 0, 0, 0, 0, 1).expired(List.of(young, old, unreadable), NOW));
    }

    /** A node whose clock was a year ahead has saved as many as there are seats. */
    @ParameterizedTest
    @CsvSource({"10, 10,0,0,0,0", "48, 10,48,14,8,12", "8760, 10,48,14,8,12"})
    void whatAWrongClockDatedInTheFutureTakesNoPlace(
            int wrong, int last, int hourly, int daily, int weekly, int monthly) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < wrong; i++) {
            entries.add(entry(
                    NOW.plus(Duration.ofDays(365)).plus(Duration.ofHours(i)),
                    stood(Level.STRUCTURE)));
        }
        entries.add(entry(NOW));
        entries.add(entry(NOW.minusSeconds(60), stood(Level.STRUCTURE)));

        Retention retention = new Retention(last, hourly, daily, weekly, monthly, 1);
        assertEquals(
                List.of(),
                retention.expired(entries, NOW).stream().map(Entry::name).toList());
        assertTrue(entries.stream().limit(wrong).allMatch(entry -> Retention.isAhead(entry, NOW)));
    }

    /** Two clocks that are right are never quite the same. */
    @Test
    void oneOfTheNextMinutesIsTheNewest() {
        Entry next = entry(NOW.plus(Duration.ofMinutes(5)));

        assertFalse(Retention.isAhead(next, NOW));
        assertEquals(
                List.of(next.manifest().orElseThrow().taken()),
                kept(new Retention(1, 0, 0, 0, 0, 1), List.of(next, entry(NOW))));
    }

    private static Entry unfinished(Instant taken, Instant data, Instant keys) {
        return new Entry(
                "abc",
                SnapshotCatalog.stamp(taken) + "-0001",
                Optional.empty(),
                "",
                SignatureState.UNSIGNED,
                List.of(),
                List.of(
                        new StoredObject("v1/snapshots/abc/x/data", 9, data),
                        new StoredObject("v1/snapshots/abc/x/pki", 9, keys)));
    }

    /** Whatever the numbers and the snapshots. */
    @Test
    void theNewestVerifiedOneIsNeverRemoved() {
        SplittableRandom random = new SplittableRandom(14);
        for (int run = 0; run < 500; run++) {
            List<Entry> entries = new ArrayList<>();
            for (int i = random.nextInt(1, 40); i > 0; i--) {
                Instant taken = NOW.minusSeconds(random.nextInt(10_000_000));
                entries.add(
                        random.nextInt(5) == 0
                                ? entry(taken, stood(Level.STRUCTURE))
                                : entry(taken));
            }
            Retention retention = new Retention(
                    random.nextInt(3),
                    random.nextInt(3),
                    random.nextInt(3),
                    random.nextInt(3),
                    random.nextInt(3),
                    random.nextInt(3));
            List<Entry> expired = retention.expired(entries, NOW);
            entries.stream()
                    .filter(entry -> entry.standing().isPresent())
                    .max(java.util.Comparator.comparing(
                            entry -> entry.manifest().orElseThrow().taken()))
                    .ifPresent(newest -> assertFalse(expired.contains(newest)));
        }
    }
}
