package io.kjadm.core.etcd.commands;

import static io.kjadm.core.error.Reasons.assertReason;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.kube.MemoryKubeApi;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.lock.VirtualBackground;
import io.kjadm.etcd.CommonReason;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** The commands take the real lock, whose Lease another run has left or still renews. */
class MembershipStepsLockTest {

    private static final Runnable UNREACHED = () -> {
        throw new AssertionError("two runs changed etcd at once");
    };

    private final OpsLab lab = new OpsLab(3).onControlPlane();
    private final MemoryKubeApi api = new MemoryKubeApi();

    private MembershipSteps steps(String node) {
        return new MembershipSteps(
                lab.open(),
                new LeaseLocks(
                                lab.files,
                                lab.waiter,
                                new VirtualBackground(lab.waiter),
                                new SplittableRandom(7))
                        .of(() -> api, node, lab.out),
                lab.waiter,
                lab.out,
                lab.refusals::add);
    }

    private static Lease lease(Instant renewed) {
        return new LeaseBuilder()
                .withNewMetadata()
                .withNamespace(LockRecord.NAMESPACE)
                .withName(LockRecord.NAME)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("cp-9_run")
                .withLeaseDurationSeconds(60)
                .withAcquireTime(renewed.atZone(ZoneOffset.UTC))
                .withRenewTime(renewed.atZone(ZoneOffset.UTC))
                .endSpec()
                .build();
    }

    private MembershipLeaseStatus seen() {
        return MembershipLeaseStatus.of(
                api.get(Lease.class, LockRecord.NAMESPACE, LockRecord.NAME), lab.waiter.now());
    }

    private static boolean alive(MembershipLeaseStatus status) {
        return assertInstanceOf(MembershipLeaseStatus.Held.class, status).alive();
    }

    @Test
    void twoRunsDoNotOverlapWhereADeadOneHasLeftItsLease() {
        api.create(lease(lab.waiter.now().minus(Duration.ofHours(1))));
        MembershipLeaseStatus both = seen();
        assertTrue(!alive(both));
        List<String> done = new ArrayList<>();

        steps("cp-1").inTurn(both, "defrag", () -> {
            done.add("cp-1");
            MembershipSteps other = steps("cp-2");
            assertReason(
                    CommonReason.TIMED_OUT,
                    ClusterException.class,
                    () -> other.inTurn(both, "defrag", UNREACHED));
        });
        steps("cp-2").inTurn(both, "defrag", () -> done.add("cp-2"));

        assertEquals(List.of("cp-1", "cp-2"), done);
    }

    @Test
    void aLiveHolderWhoseClockIsBehindIsNotTakenOver() {
        Duration behind = Duration.ofSeconds(61);
        api.create(lease(lab.waiter.now().minus(behind)));
        Runnable closed = new VirtualBackground(lab.waiter)
                .repeat("cp-9", Duration.ofSeconds(10), () -> {
                    Lease now = api.get(Lease.class, LockRecord.NAMESPACE, LockRecord.NAME)
                            .orElseThrow();
                    api.replace(new LeaseBuilder(now)
                            .editSpec()
                            .withRenewTime(lab.waiter.now().minus(behind).atZone(ZoneOffset.UTC))
                            .endSpec()
                            .build());
                    return Duration.ofSeconds(10);
                });
        MembershipLeaseStatus seen = seen();
        assertTrue(!alive(seen), "by its clock");

        MembershipSteps steps = steps("cp-1");
        assertReason(
                CommonReason.TIMED_OUT,
                ClusterException.class,
                () -> steps.inTurn(seen, "defrag", UNREACHED));

        closed.run();
        List<String> done = new ArrayList<>();
        steps.inTurn(seen, "defrag", () -> done.add("it has died by then"));
        assertEquals(1, done.size());
    }

    @Test
    void withoutAnApiServerThereIsNoLockToTake() {
        List<String> done = new ArrayList<>();
        steps("cp-1")
                .inTurn(
                        new MembershipLeaseStatus.Unknown("connection refused"),
                        "defrag",
                        () -> done.add("done"));
        assertEquals(1, done.size());
        assertEquals(Optional.empty(), api.get(Lease.class, LockRecord.NAMESPACE, LockRecord.NAME));
    }
}
