package io.kjadm.core.snapshot;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.snapshot.Verification.Level;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.store.ForwardingStore;
import io.kjadm.store.MemoryStore;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** The target of a copy is pruned by the schedule of another machine. */
class PruneBesideCopyTest {

    private static final Retention STANDARD = new Retention(10, 48, 14, 8, 12, 2);

    private final SimulatedCluster etcd = SimulatedCluster.ofVoters(3, "3.6.14");
    private final MemoryStore source = new MemoryStore();
    private final MemoryStore target = new MemoryStore();
    private final VirtualWaiter clock = new VirtualWaiter();
    private final RecordingReporter out = new RecordingReporter();
    private final SnapshotCatalog from = new SnapshotCatalog(source);
    private final SnapshotCatalog to = new SnapshotCatalog(target);
    private final SnapshotPrune prune = new SnapshotPrune(to, clock, out);
    private final SnapshotManifest old = takenFortyDaysAgo();

    private SnapshotManifest takenFortyDaysAgo() {
        SnapshotSave save = new SnapshotSave(etcd, from, clock, new SplittableRandom(1), out);
        SnapshotManifest manifest =
                save.save(save.choose(EtcdHealth.ask(etcd)), SnapshotEncoding.NONE, Map.of());
        clock.pause("", "", Duration.ofDays(40));
        target.clock = clock::now;
        return manifest;
    }

    private String place() {
        return SnapshotObjects.place(old);
    }

    /** A copy was killed when the bytes were there, so long ago. */
    private void leaveData(Duration ago) {
        target.objects.put(place() + "data", source.objects.get(place() + "data"));
        target.times.put(place() + "data", clock.now().minus(ago));
    }

    @Test
    void whatACopyHasCompletedMeanwhileStays() {
        leaveData(Duration.ofDays(2));
        SnapshotPrune.Expired expired = prune.expired(STANDARD);
        assertEquals(
                List.of(old.name()),
                expired.entries().stream().map(SnapshotCatalog.Entry::name).toList());

        new SnapshotCopy(from, to, out).copy(old);
        prune.remove(expired);

        assertTrue(new SnapshotCheck(to, List.of(), clock, out)
                .check(old, Level.STRUCTURE)
                .passed());
    }

    @Test
    void whatACopyWritesNowIsNotGivenUpHoweverOldTheSnapshotIs() {
        leaveData(Duration.ofMinutes(1));

        assertEquals(List.of(), prune.expired(STANDARD).entries());
    }

    /** Between the comparison of the bytes and the manifest. */
    @Test
    void aCopyWhoseDataWerePrunedIsNoSnapshot() {
        leaveData(Duration.ofDays(2));
        SnapshotPrune.Expired expired = prune.expired(STANDARD);
        ForwardingStore pruned = new ForwardingStore(target) {
            @Override
            public Creation create(String key, Content content) {
                prune.remove(expired);
                return super.create(key, content);
            }
        };
        SnapshotCopy copy = new SnapshotCopy(from, new SnapshotCatalog(pruned), out);

        assertReason(CommonReason.DAMAGED, ClusterException.class, () -> copy.copy(old));
        assertFalse(target.objects.containsKey(place() + "manifest.json"));

        new SnapshotCopy(from, to, out).copy(old);
        assertEquals(source.objects.keySet(), target.objects.keySet());
    }

    /** Another machine prunes, by a clock that is two days ahead, before the manifest is there. */
    @Test
    void aSnapshotWhoseDataWerePrunedIsNone() {
        ForwardingStore pruned = new ForwardingStore(target) {
            @Override
            public Creation create(String key, Content content) {
                if (key.endsWith("manifest.json")) {
                    VirtualWaiter ahead = new VirtualWaiter();
                    ahead.pause(
                            "", "", Duration.between(ahead.now(), clock.now()).plusDays(2));
                    SnapshotPrune other = new SnapshotPrune(to, ahead, out);
                    other.remove(other.expired(STANDARD));
                }
                return super.create(key, content);
            }
        };
        SnapshotSave save = new SnapshotSave(
                etcd, new SnapshotCatalog(pruned), clock, new SplittableRandom(2), out);
        SnapshotSave.Choice choice = save.choose(EtcdHealth.ask(etcd));

        assertReason(
                CommonReason.DAMAGED,
                ClusterException.class,
                () -> save.save(choice, SnapshotEncoding.NONE, Map.of()));

        assertEquals(List.of(), to.accepted());
    }
}
