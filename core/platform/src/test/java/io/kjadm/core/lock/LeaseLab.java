package io.kjadm.core.lock;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.core.phase.Waiter;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Nodes of one cluster, each with its own run, on one API server and one virtual clock. */
abstract class LeaseLab {

    static final Duration WAIT = Duration.ofMinutes(30);
    static final Work JOIN = Work.beginning("join");

    final VirtualWaiter waiter = new VirtualWaiter();
    final MemoryKubeApi api = new MemoryKubeApi();
    final RecordingReporter out = new RecordingReporter();
    Set<String> ended = Set.of();

    MembershipLock lock(String node, String run) {
        return lock(() -> api, node, run, new VirtualBackground(waiter), waiter);
    }

    MembershipLock neverRenewing(String node) {
        return lock(() -> api, node, "1", Scheduler.NEVER, waiter);
    }

    MembershipLock lock(
            Supplier<KubeApi> apis, String node, String run, Scheduler background, Waiter clock) {
        return new LeaseLock(
                apis,
                new LockSite(
                        new LockHolder(node, run),
                        name -> ended.contains(name),
                        clock,
                        background,
                        out),
                new SplittableRandom(7));
    }

    HeldLock taken(String node) {
        return lock(node, "1").take(JOIN, WAIT);
    }

    /** Why others need not keep away, as far as its holder knows. */
    static Optional<String> expired(HeldLock turn) {
        return assertInstanceOf(HeldLease.class, turn).lost();
    }

    /** Whether others keep away, as far as its holder knows. */
    static boolean held(HeldLock turn) {
        return turn instanceof HeldLease lease && lease.lost().isEmpty();
    }

    Lease lease() {
        return (Lease) api.objects().getFirst();
    }

    LockRecord record() {
        return LockRecord.of(lease()).orElseThrow();
    }

    void pass(Duration time) {
        for (long second = 0; second < time.toSeconds(); second++) {
            waiter.pause("", "", Duration.ofSeconds(1));
        }
    }
}
