package io.kjadm.core.auto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.auto.FlakyStore.Fate;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.snapshot.sign.SnapshotKeys;
import io.kjadm.core.snapshot.sign.SnapshotTrust;
import io.kjadm.core.snapshot.sign.VerifyKey;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.store.MemoryStore;
import io.kjadm.store.ObjectStore.Put;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

class ClusterSeedTest {

    private static final ClusterSeed.Wanted WANTED = LogLab.wanted();
    /** Puts of the check of the store: three one after another, then eight at once. */
    private static final int PROBES = 11;

    private final VirtualWaiter waiter = new VirtualWaiter();
    private final MemoryStore memory = new MemoryStore();
    private final FlakyStore store = new FlakyStore(memory);
    private final MemoryFiles files = new MemoryFiles();

    private ClusterFile seed() {
        return seed(WANTED, files);
    }

    private ClusterFile seed(ClusterSeed.Wanted wanted, MemoryFiles where) {
        return new ClusterSeed(
                        store, where, waiter, new SplittableRandom(waiter.now().toEpochMilli()))
                .seed(wanted, LogLab.TOKEN);
    }

    private byte[] cluster() {
        return memory.objects.get(AutoObjects.CLUSTER);
    }

    @Test
    void theStoreHoldsTheClusterAndTheFileItsToken() {
        ClusterFile file = seed();

        assertEquals(file, ClusterFile.parse(cluster()));
        assertEquals(WANTED.spec(), file.spec());
        assertEquals("s3://memory/", file.place());
        assertTrue(file.uid().matches("[0-9a-f]{32}"), file.uid());
        assertTrue(AutoToken.read(files, LogLab.TOKEN).fits(cluster()));
        assertEquals(Optional.of(FileMode.OWNER_ONLY), files.mode(LogLab.TOKEN));
        assertEquals(List.of(AutoObjects.CLUSTER), List.copyOf(memory.objects.keySet()));
    }

    @Test
    void theSameAgainChangesNothing() {
        ClusterFile file = seed();

        assertEquals(file, seed());
    }

    @Test
    void theOperatorsKeyIsMadeOnceAndIsForItsOwnerAlone() {
        Path key = Path.of("/safe/operator.key");
        ClusterSeed.Wanted wanted = new ClusterSeed.Wanted(
                WANTED.name(), WANTED.spec(), WANTED.place(), Optional.empty(), Optional.of(key));
        SnapshotKeys keys = new SnapshotKeys(files);
        // an earlier run was killed, or the operator has other clusters
        VerifyKey made = keys.create(key, Path.of("/safe/operator.key.pub"));

        ClusterFile file = seed(wanted, files);

        assertEquals(List.of(made), file.keys());
        assertEquals(file, ClusterFile.parse(cluster()));
        assertEquals(Optional.of(FileMode.OWNER_ONLY), files.mode(key));
        assertTrue(new SnapshotTrust(file.keys(), false).accepts(keys.signing(key)));
        assertEquals(List.of(), new LogLab().cluster.keys());
    }

    @Test
    void halfAPairOfKeysIsNotReplaced() {
        files.with("/safe/operator.key", "kept");
        ClusterSeed.Wanted wanted = new ClusterSeed.Wanted(
                WANTED.name(),
                WANTED.spec(),
                WANTED.place(),
                Optional.empty(),
                Optional.of(Path.of("/safe/operator.key")));
        assertThrows(HostException.class, () -> seed(wanted, files));
        assertEquals("kept", files.text("/safe/operator.key"));
        assertFalse(memory.objects.containsKey(AutoObjects.CLUSTER));
        assertFalse(files.exists(LogLab.TOKEN));
    }

    /** Nobody could approve a restore of such a cluster. */
    @Test
    void keysThatDoNotBelongTogetherAreRefused() {
        Path key = Path.of("/safe/operator.key");
        ClusterSeed.Wanted wanted = new ClusterSeed.Wanted(
                WANTED.name(), WANTED.spec(), WANTED.place(), Optional.empty(), Optional.of(key));
        SnapshotKeys keys = new SnapshotKeys(files);
        keys.create(key, Path.of("/safe/operator.key.pub"));
        keys.create(Path.of("/other/operator.key"), Path.of("/other/operator.key.pub"));
        files.with("/safe/operator.key.pub", files.text("/other/operator.key.pub"));

        assertThrows(UsageException.class, () -> seed(wanted, files));
        assertFalse(memory.objects.containsKey(AutoObjects.CLUSTER));

        // the private key was moved to a safe place
        files.delete(key);
        assertThrows(UsageException.class, () -> seed(wanted, files));
    }

    @Test
    void aStoreHasOneCluster() {
        seed();
        byte[] before = cluster();

        assertThrows(ClusterException.class, () -> seed(WANTED, new MemoryFiles()));
        ClusterSpec five = ClusterSpec.of(new EtcdVersion(3, 6, 14), 5);
        assertThrows(
                ClusterException.class,
                () -> seed(new ClusterSeed.Wanted("etcd", five, WANTED.place()), files));

        assertEquals(before, cluster());
    }

    @Test
    void aTokenFileIsNeverReplaced() {
        files.with(LogLab.TOKEN.toString(), "kept");

        UsageException refusal = assertThrows(UsageException.class, this::seed);

        assertTrue(refusal.what().contains(LogLab.TOKEN.toString()), refusal.what());
        assertEquals("kept", files.text(LogLab.TOKEN.toString()));
        assertTrue(memory.objects.isEmpty());
    }

    private void fates(int count, Fate fate) {
        store.afterPuts(PROBES, Collections.nCopies(count, fate));
    }

    @Test
    void aLostAnswerIsFoundInTheStore() {
        fates(1, Fate.ANSWER_LOST);

        ClusterFile file = seed();

        assertEquals(file, ClusterFile.parse(cluster()));
    }

    @Test
    void aRefusedClusterFileLeavesNoToken() {
        fates(1, Fate.DENIED);

        assertThrows(ClusterException.class, this::seed);

        assertFalse(files.exists(LogLab.TOKEN));
    }

    /** The next run finds the cluster file, or says that the token is of none. */
    @Test
    void aStoreThatDoesNotTellLeavesTheToken() {
        fates(100, Fate.LOST);

        assertThrows(ClusterException.class, this::seed);

        assertTrue(files.exists(LogLab.TOKEN));
        store.fates.clear();
        UsageException next = assertThrows(UsageException.class, this::seed);
        assertEquals(
                "if no machine uses it, remove it and run the command again;"
                        + " otherwise specify another --token-file",
                next.next());
    }

    @Test
    void aRunThatWasKilledAfterThePutIsRepeated() {
        fates(1, Fate.KILLED);
        assertThrows(IllegalStateException.class, this::seed);

        assertEquals(seed(), ClusterFile.parse(cluster()));
    }

    @Test
    void anotherSeedThatIsFasterWins() {
        fates(1, Fate.BUSY);
        byte[] other = {1};
        waiter.eachTime(() -> memory.put(AutoObjects.CLUSTER, other));

        ClusterException refusal = assertThrows(ClusterException.class, this::seed);

        assertEquals(
                "remove " + LogLab.TOKEN + ", and use the token of the other one", refusal.next());
        assertEquals(Put.EXISTS, memory.put(AutoObjects.CLUSTER, other));
    }
}
