package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.join.MemberJoinLoop;
import io.kjadm.core.etcd.join.MembershipLease;
import io.kjadm.core.lock.OwnTurn;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.join.EmptyNode;
import io.kjadm.etcd.join.JoinDecision;
import io.kjadm.etcd.join.JoinFacts;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.MemoryJournal;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.RollbackOutcome;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A join whose rules always have a next step, as wrong rules would: the limit ends it. */
class EndlessJoinTest {

    private static final URI PEER = SimulatedCluster.peerUrl("cp-2");
    /** So many steps fit into the half hour of the defaults that they take 14 s of a processor. */
    private static final JoinLimits LIMITS = JoinLimits.DEFAULTS.withTurn(Duration.ofMinutes(1));

    private final VirtualWaiter waiter = new VirtualWaiter();
    private int steps;

    private JoinDecision decided(JoinFacts facts) {
        if (facts.rollingBack()) {
            return new JoinDecision.RolledBack(
                    new RollbackOutcome.NothingListed(), Optional.empty());
        }
        steps++;
        return new JoinDecision.CallPeers(List.of());
    }

    @Test
    void theLimitIsLookedAtBetweenSteps() {
        var executor = new MemberJoinExecutor(
                new NewMember("cp-2", PEER),
                new LearnerMemberAdder(),
                this::decided,
                SimulatedCluster.ofVoters(1),
                new MemoryJournal(),
                new EmptyNode(),
                waiter::now);
        var join = new MemberJoinLoop(
                executor,
                PEER,
                LIMITS,
                new MembershipLease((work, wait) -> new OwnTurn()),
                Optional::empty,
                waiter,
                new RecordingReporter());
        ClusterException ended = assertThrows(ClusterException.class, join::join);
        assertEquals(Optional.of(CommonReason.TIMED_OUT), ended.reason());
        var limit = LIMITS.turn().plus(LIMITS.fault());
        assertTrue(waiter.elapsed().compareTo(limit) >= 0, waiter.elapsed()::toString);
        assertTrue(steps > 0);
    }
}
