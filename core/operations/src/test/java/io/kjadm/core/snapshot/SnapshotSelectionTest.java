package io.kjadm.core.snapshot;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.snapshot.SnapshotCatalog.Entry;
import io.kjadm.core.snapshot.SnapshotManifest.Origin;
import io.kjadm.core.snapshot.SnapshotManifest.Plain;
import io.kjadm.core.snapshot.SnapshotManifest.Stored;
import io.kjadm.core.snapshot.sign.SignatureState;
import io.kjadm.core.snapshot.sign.SnapshotTrust;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.snapshot.SnapshotContent;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/** Which snapshot is meant, in stores of one cluster and of several. */
class SnapshotSelectionTest {

    private static final Instant NOON = Instant.parse("2026-11-26T12:00:00Z");

    private static Entry entry(String cluster, int hours, long revision, String... before) {
        return entry(cluster, hours, revision, SnapshotEncoding.NONE, before);
    }

    private static Entry entry(
            String cluster, int hours, long revision, SnapshotEncoding encoding, String... before) {
        Instant taken = NOON.plus(Duration.ofHours(hours));
        String name = SnapshotCatalog.stamp(taken) + "-0001";
        var content = new SnapshotContent(
                revision,
                0,
                new SnapshotContent.Total(1, 0),
                4096,
                new SnapshotContent.AppliedEntry(5, 1),
                Optional.empty(),
                List.of());
        var manifest = new SnapshotManifest(
                name,
                new Origin(cluster, new MemberId(1), "cp-1", EtcdVersion.parse("3.6.14")),
                taken,
                new Plain(content, 4128, "00"),
                new Stored(4128, "00", encoding),
                List.of(),
                before.length == 0
                        ? Map.of()
                        : Map.of(SnapshotLineage.LABEL, SnapshotLineage.text(List.of(before))));
        return new Entry(
                cluster,
                name,
                Optional.of(manifest),
                "",
                SignatureState.UNSIGNED,
                List.of(),
                List.of());
    }

    private static SelectedSnapshot find(
            String word, Optional<String> cluster, Optional<String> own, Entry... entries) {
        return new SnapshotSelection("the store", SnapshotTrust.ALL, List.of(entries))
                .find(word, cluster, own);
    }

    private static SelectedSnapshot latest(Entry... entries) {
        return find("latest", Optional.empty(), Optional.empty(), entries);
    }

    private static String name(Entry entry) {
        return entry.name();
    }

    /** Each node stamps its snapshots by its own clock; one of them is a day ahead. */
    @Test
    void latestIsTheHighestRevisionWhateverTheClocksSay() {
        Entry newest = entry("a", 0, 900);
        Entry ahead = entry("a", 24, 100);

        SelectedSnapshot found = latest(ahead, newest);

        assertEquals(name(newest), found.manifest().name());
        assertEquals(1, found.remarks().size());
        assertTrue(found.remarks().getFirst().contains(name(ahead)));
    }

    @Test
    void whereTimeAndRevisionAgreeNothingIsRemarked() {
        Entry idle = entry("a", 3, 100);

        SelectedSnapshot found = latest(entry("a", 1, 90), idle, entry("a", 2, 100));

        assertEquals(name(idle), found.manifest().name());
        assertEquals(List.of(), found.remarks());
    }

    @Test
    void latestOfSeveralClustersIsRefusedUnlessOneIsMeant() {
        Entry ours = entry("a", 0, 10);
        Entry theirs = entry("b", 1, 99);

        UsageException refused = assertThrows(UsageException.class, () -> latest(ours, theirs));

        assertEquals("the store has snapshots of 2 clusters: a, b", refused.why());
        assertEquals(
                name(ours),
                find("latest", Optional.of("a"), Optional.of("b"), ours, theirs)
                        .manifest()
                        .name());
        assertEquals(
                name(ours),
                find("latest", Optional.empty(), Optional.of("a"), ours, theirs)
                        .manifest()
                        .name());
        assertThrows(
                UsageException.class,
                () -> find("latest", Optional.empty(), Optional.of("c"), ours, theirs));
        assertThrows(
                UsageException.class,
                () -> find("latest", Optional.of("c"), Optional.empty(), ours, theirs));
    }

    /** A restore gives a cluster another ID; both are one cluster for the operator. */
    @Test
    void aRestoredClusterAndWhatItWasBeforeAreOne() {
        Entry before = entry("a", 0, 10);
        Entry between = entry("b", 1, 20, "a");
        Entry now = entry("c", 2, 30, "b", "a");

        assertEquals(name(now), latest(before, between, now).manifest().name());
        assertThrows(UsageException.class, () -> latest(before, entry("c", 2, 30)));
        assertThrows(UsageException.class, () -> latest(before, between, entry("d", 2, 30, "a")));
    }

    @Test
    void twoClustersMayHaveSnapshotsOfOneName() {
        Entry ours = entry("a", 0, 10);
        Entry theirs = entry("b", 0, 99);

        assertThrows(
                UsageException.class,
                () -> find(name(ours), Optional.empty(), Optional.of("a"), ours, theirs));
        assertEquals(
                "b",
                find(name(ours), Optional.of("b"), Optional.empty(), ours, theirs)
                        .manifest()
                        .origin()
                        .clusterId());
    }

    @Test
    void aWholeNameIsMeantBeforeTheBeginningOfAnother() {
        Entry one = entry("a", 0, 10);
        Entry longer = new Entry(
                "a",
                one.name() + "2",
                entry("a", 1, 11).manifest(),
                "",
                SignatureState.UNSIGNED,
                List.of(),
                List.of());
        assertEquals(
                name(one),
                find(name(one), Optional.empty(), Optional.empty(), one, longer)
                        .manifest()
                        .name());
        assertThrows(
                UsageException.class,
                () -> find("2026", Optional.empty(), Optional.empty(), one, longer));
        assertThrows(
                UsageException.class,
                () -> find("2027", Optional.empty(), Optional.empty(), one, longer));
    }

    @Test
    void withAnIdentityLatestIsTheNewestThatIsEncrypted() {
        Entry encrypted = entry("a", 0, 10, new SnapshotEncoding(false, List.of("age1somebody")));
        Entry plain = entry("a", 1, 99);
        SnapshotSelection selection = new SnapshotSelection(
                "the store", new SnapshotTrust(List.of(), true), List.of(encrypted, plain));

        SelectedSnapshot found = selection.find("latest", Optional.empty(), Optional.empty());

        assertEquals(name(encrypted), found.manifest().name());
        assertTrue(found.remarks().toString().contains(name(plain)));
        assertReason(
                CommonReason.NOT_ACCEPTED,
                ClusterException.class,
                () -> selection.find(name(plain), Optional.empty(), Optional.empty()));
    }

    private static Entry imported(int hours, long revision, long... members) {
        Entry entry = entry(SnapshotImport.CLUSTER, hours, revision);
        SnapshotManifest told = entry.manifest().orElseThrow();
        Origin from = told.origin();
        return new Entry(
                entry.clusterId(),
                entry.name(),
                Optional.of(new SnapshotManifest(
                        told.name(),
                        new Origin(
                                from.clusterId(),
                                from.memberId(),
                                from.memberName(),
                                from.etcd(),
                                LongStream.of(members)
                                        .mapToObj(id -> new Member(
                                                new MemberId(id),
                                                "m" + id,
                                                List.of(),
                                                List.of(),
                                                false))
                                        .toList()),
                        told.taken(),
                        told.plain(),
                        told.stored(),
                        told.hashes(),
                        told.labels())),
                "",
                SignatureState.UNSIGNED,
                List.of(),
                List.of());
    }

    /** They lie in one place, as what other tools took does not tell its cluster. */
    @Test
    void latestOfImportsOfTwoClustersIsRefused() {
        Entry first = imported(0, 10, 1, 2, 3);
        Entry other = imported(1, 20, 7, 8, 9);
        assertThrows(UsageException.class, () -> latest(first, other));
        assertThrows(UsageException.class, () -> latest(first, imported(1, 20)));
        assertEquals(other.name(), latest(other).manifest().name());

        Entry later = imported(2, 30, 4, 5);
        Entry between = imported(3, 20, 3, 4);
        assertEquals(later.name(), latest(first, later, between).manifest().name());
        assertThrows(UsageException.class, () -> latest(first, later));
    }
}
