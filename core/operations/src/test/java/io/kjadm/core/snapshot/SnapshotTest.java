package io.kjadm.core.snapshot;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.snapshot.SnapshotCatalog.Entry;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.check.HealthRules;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Snapshots of a simulated cluster of three in a store in memory. */
class SnapshotTest extends SnapshotLab {

    @Test
    void aSnapshotIsKeptAsItCameAndDescribed() {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);

        assertArrayEquals(SnapshotBytes.atRevision(102), stored());
        assertEquals(102, manifest.plain().content().revision());
        assertEquals(stored().length, manifest.stored().bytes());
        assertEquals(manifest.plain().sha256(), manifest.stored().sha256());
        assertEquals(Map.of("reason", "a test"), manifest.labels());
        assertEquals(3, manifest.hashes().size());
        assertEquals(manifest, catalog.find(SnapshotCatalog.LATEST));
        assertEquals(manifest, catalog.find(manifest.name().substring(0, 12)));
    }

    @Test
    void aFollowerIsAskedRatherThanTheLeader() {
        Member chosen = save.choose(EtcdHealth.ask(etcd)).member();
        assertFalse(chosen.id().equals(etcd.leader()), chosen::describe);
    }

    /** As a join accepts voters: further back a member holds an older state than the store has. */
    @Test
    void aMemberThatLagsIsNotAsked() {
        assertEquals(1, chosen(6000, 6000 - HealthRules.LAG_LIMIT - 1).value());
        assertEquals(2, chosen(6000, 6000 - HealthRules.LAG_LIMIT).value());
    }

    @Test
    void whereNoMemberIsUpToDateNoSnapshotIsTaken() {
        Member only = member(1);
        EtcdHealth health = new EtcdHealth(
                List.of(only), Map.of(only.id(), status(1, 9_000_000, 1_000)), Map.of());

        ClusterException refused = assertThrows(
                ClusterException.class, () -> SnapshotSource.choose(health, List.of()));

        assertEquals(
                "cp-1 has applied 8999000 entries less than were committed, 5000 are the limit",
                refused.why());
    }

    /** Who would be asked of a leader, member 1, that has applied everything, and a follower. */
    private static MemberId chosen(long leader, long follower) {
        EtcdHealth health = new EtcdHealth(
                List.of(member(1), member(2)),
                Map.of(
                        new MemberId(1), status(1, leader, leader),
                        new MemberId(2), status(2, follower, follower)),
                Map.of());
        return SnapshotSource.choose(health, List.of()).id();
    }

    private static Member member(int number) {
        URI url = URI.create("https://cp-%d:2380".formatted(number));
        return new Member(new MemberId(number), "cp-" + number, List.of(url), List.of(url), false);
    }

    private static MemberStatus status(int number, long committed, long applied) {
        return new MemberStatus(
                new MemberId(number),
                "c",
                new MemberId(1),
                MemberStatus.Versions.of(EtcdVersion.parse("3.6.8")),
                4096,
                3,
                committed,
                applied,
                false,
                List.of());
    }

    @Test
    void withoutAQuorumTheSnapshotIsTakenAndWarnedOf() {
        EtcdHealth before = EtcdHealth.ask(etcd);
        etcd.stop(etcd.id("cp-1"));
        etcd.stop(etcd.id("cp-2"));
        EtcdHealth health = EtcdHealth.ask(etcd, before.members());

        SnapshotManifest manifest = save.save(save.choose(health), SnapshotEncoding.NONE, Map.of());

        assertEquals("cp-3", manifest.origin().memberName());
        assertEquals(1, out.warnings().size(), out.warnings()::toString);
        assertEquals(
                2,
                manifest.hashes().stream().filter(hash -> hash.hash().isEmpty()).count());
    }

    @Test
    void aMemberThatHoldsSomethingElseIsWarnedOf() {
        take(SnapshotEncoding.NONE);
        assertEquals(List.of(), out.warnings());

        etcd.diverge(etcd.id("cp-1"));
        take(SnapshotEncoding.NONE);

        assertEquals(
                List.of(
                        "the etcd members hold different data at revision 102: one of them is corrupt. Compare 'etcdctl endpoint hashkv' of all, and replace the one that differs"),
                out.warnings());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 4096, 4 * 4096, 4 * 4096 + 31})
    void oneThatEndsEarlyIsNone(int bytes) {
        etcd.cutSnapshots(bytes);

        assertThrows(ClusterException.class, () -> take(SnapshotEncoding.NONE));

        assertEquals(Map.of(), store.objects);
    }

    @Test
    void aManifestThatNamesAnotherPlaceIsAFault() {
        SnapshotManifest good = take(SnapshotEncoding.NONE);
        String key = store.objects.keySet().stream()
                .filter(name -> name.endsWith("/manifest.json"))
                .findFirst()
                .orElseThrow();
        byte[] text = store.objects.get(key);
        String otherName = "v1/snapshots/%s/20300101t000000z-0001/manifest.json"
                .formatted(good.origin().clusterId());
        String otherCluster = "v1/snapshots/ffff/%s/manifest.json".formatted(good.name());
        store.objects.put(otherName, text);
        store.objects.put(otherCluster, text);

        assertEquals(
                2,
                catalog.entries().stream()
                        .filter(entry ->
                                entry.manifest().isEmpty() && entry.fault().contains(good.name()))
                        .count());
        assertEquals(good, catalog.find(SnapshotCatalog.LATEST));
    }

    @Test
    void bytesWithoutAManifestAreNoSnapshot() {
        store.create("v1/snapshots/abc/20260101t000000z-0001/data", to -> to.write(1));

        assertTrue(catalog.entries().getFirst().manifest().isEmpty());
        assertThrows(UsageException.class, () -> catalog.find(SnapshotCatalog.LATEST));
    }

    @Test
    void whatCannotBeReadIsToldAndHarmsNoOther() {
        SnapshotManifest good = take(SnapshotEncoding.NONE);
        store.objects.put(
                "v1/snapshots/abc/x/manifest.json",
                "{\"format\": 2}".getBytes(StandardCharsets.UTF_8));

        Entry unreadable = catalog.entries().stream()
                .filter(entry -> entry.name().equals("x"))
                .findFirst()
                .orElseThrow();
        assertEquals("manifest.json: it is of format 2, and 1 is known", unreadable.fault());
        assertEquals(good, catalog.find(SnapshotCatalog.LATEST));
    }

    @Test
    void pruneWarnsOfSnapshotsOfTheFutureAndKeepsThem() {
        clock.pause("", "", Duration.ofDays(365));
        SnapshotManifest wrong = take(SnapshotEncoding.NONE);
        VirtualWaiter right = new VirtualWaiter();
        SnapshotPrune prune = new SnapshotPrune(catalog, right, out);

        prune.remove(prune.expired(new Retention(0, 0, 0, 0, 0, 1)));

        assertEquals(wrong, catalog.find(SnapshotCatalog.LATEST));
        assertHasLine(
                "snapshots with a date in the future are kept, beside those that the --keep flags count: 1, the last one is %s. Next: compare the clock of this machine with that of the one that took them"
                        .formatted(wrong.name()),
                String.join("\n", out.warnings()));
    }

    /** An account that may only add objects must not stop old snapshots from being removed. */
    @Test
    void anObjectWithAnOddNameDoesNotStopPrune() {
        SnapshotManifest manifest = take(SnapshotEncoding.NONE);
        String place =
                "v1/snapshots/%s/%s/".formatted(manifest.origin().clusterId(), manifest.name());
        store.objects.put(place + "EVIL", new byte[1]);
        store.objects.put("v1/snapshots/EVIL/x/data", new byte[1]);
        SnapshotPrune prune = new SnapshotPrune(catalog, clock, out);

        prune.remove(prune.expired(new Retention(0, 0, 0, 0, 0, 1)));

        assertEquals(Set.of(place + "EVIL", "v1/snapshots/EVIL/x/data"), store.objects.keySet());
        assertEquals(1, out.warnings().size());
    }
}
