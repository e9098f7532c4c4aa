package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.Scheduler;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/** A reset takes turns with joins and other resets. */
class ResetTurnTest {

    private final ResetLab lab = new ResetLab();

    private List<String> leaseWrites() {
        return lab.api.writes().stream()
                .map(call -> call.split(" "))
                .filter(words -> words[1].equals("Lease"))
                .map(words -> words[0])
                .toList();
    }

    /** Somebody else's turn, which is never renewed: it has to be waited for. */
    private void somebodyElsesTurn(MembershipLock.Work work) {
        new LeaseLocks(lab.files, lab.waiter, Scheduler.NEVER, new SplittableRandom(7))
                .of(() -> lab.api, "cp-9", lab.out)
                .take(work, Duration.ZERO);
    }

    @Test
    void theMembershipLockIsHeldWhileTheMemberLeaves() {
        lab.apiServes();
        MemberId own = lab.etcd.id("cp-1");
        List<String> moments = new ArrayList<>();
        lab.waiter.eachTime(() -> moments.add((lab.listed("cp-1") ? "listed " : "left ")
                + lab.api.objects().stream()
                        .filter(Lease.class::isInstance)
                        .map(Lease.class::cast)
                        .flatMap(lease -> LockRecord.of(lease).stream())
                        .map(record -> "%s %s %s"
                                .formatted(
                                        record.holder().node(),
                                        record.work().operation(),
                                        record.work().member().orElseThrow()))
                        .findFirst()
                        .orElse("free")));
        lab.reset().conclude();
        assertEquals(List.of("create", "replace"), leaseWrites());
        assertEquals(List.of("listed cp-1 reset " + own, "left free"), List.copyOf(moments));
        assertTrue(
                lab.out.warnings().stream().noneMatch(line -> line.contains(LockRecord.NAME)),
                lab.out.warnings().toString());
    }

    @Test
    void aJoinElsewhereIsWaitedForAndTheDecisionMadeAnew() {
        lab.apiServes();
        somebodyElsesTurn(MembershipLock.Work.beginning("join"));
        lab.waiter.after(Duration.ofSeconds(30), () -> lab.etcd.stop(lab.etcd.id("cp-3")));
        KjadmException refused = lab.refused();
        assertEquals(Set.of("cp-2", "cp-3"), Named.members(refused.why()));
        assertTrue(
                lab.waiter.elapsed().compareTo(Duration.ofSeconds(60)) >= 0,
                "after the other's turn was over");
        assertTrue(leaseWrites().size() > 2, leaseWrites().toString());
        assertEquals(
                Optional.empty(),
                LockRecord.of((Lease) lab.api.objects().getFirst()),
                "given back");
        assertTrue(lab.listed("cp-1"));
    }

    @Test
    void aRefusalQueuesForNothing() {
        lab.apiServes();
        somebodyElsesTurn(MembershipLock.Work.beginning("join"));
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.refused();
        assertTrue(
                lab.waiter.elapsed().compareTo(Duration.ofSeconds(30)) < 0,
                lab.waiter.elapsed().toString());
        assertEquals(List.of("create"), leaseWrites());
    }

    @Test
    void aMemberThatIsNotListedNeedsNoTurn() {
        lab.apiServes();
        lab.etcd.removeByOther(lab.etcd.id("cp-1"));
        lab.reset().conclude();
        assertEquals(List.of(), leaseWrites());
        lab.assertClean();
    }

    @Test
    void aNodeWithoutItsManifestTakesItsTurnUnderItsHostName() {
        lab.apiServes();
        lab.files.delete(ResetLab.MANIFESTS.resolve("etcd.yaml"));
        lab.files.with("/proc/sys/kernel/hostname", "machine-1\n");
        List<String> holders = new ArrayList<>();
        lab.waiter.eachTime(() -> lab.api.objects().stream()
                .filter(Lease.class::isInstance)
                .map(Lease.class::cast)
                .flatMap(lease -> LockRecord.of(lease).stream())
                .forEach(record -> holders.add(record.holder().node())));
        lab.reset().conclude();
        assertEquals(Set.of("machine-1"), Set.copyOf(holders));
    }
}
