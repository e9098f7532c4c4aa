package io.kjadm.core.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.lock.LockRecord;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.join.Ailment;
import io.kjadm.etcd.join.JoinDecision;
import io.kjadm.etcd.join.JoinFacts;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.Joiner;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.LifeSigns;
import io.kjadm.etcd.join.LocalMember;
import io.kjadm.etcd.join.LocalTrace;
import io.kjadm.etcd.join.MemoryJournal;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.etcd.join.Withdrawal;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A join whose rules always have a next step, as wrong rules would: the limit ends it. */
class EndlessJoinTest {

    private static final URI PEER = SimulatedCluster.peerUrl("cp-2");

    private final VirtualWaiter waiter = new VirtualWaiter();
    private int steps;

    private JoinDecision decided(JoinFacts facts) {
        if (facts.withdrawing()) {
            return new JoinDecision.Withdrawn(new Withdrawal.NothingListed(), Optional.empty());
        }
        steps++;
        return new JoinDecision.CallPeers(List.of());
    }

    @Test
    void theLimitIsLookedAtBetweenSteps() {
        var joiner = new Joiner(new NewMember("cp-2", PEER), new LearnerMemberAdder(),
                this::decided, SimulatedCluster.ofVoters(1), new MemoryJournal(), new NoMember(),
                waiter::now);
        var join = new MemberJoin(joiner, PEER, JoinLimits.DEFAULTS, new Turn(EndlessJoinTest::turn),
                Optional::empty, waiter, new RecordingReporter());
        ClusterException ended = assertThrows(ClusterException.class, join::bringIn);
        assertTrue(ended.why().contains("the join gets on, but comes to no end"), ended.why());
        assertTrue(ended.why().contains("no etcd member was left behind"), ended.why());
        var limit = JoinLimits.DEFAULTS.turn().plus(JoinLimits.DEFAULTS.fault());
        assertTrue(waiter.elapsed().compareTo(limit) >= 0, waiter.elapsed()::toString);
        assertTrue(steps > 0);
    }

    private static MembershipLock.Held turn(Work work, Duration wait) {
        return new MembershipLock.Held() {
            @Override
            public MembershipLock.Standing standing() {
                return new MembershipLock.Standing.Ours();
            }

            @Override
            public Optional<LockRecord> predecessor() {
                return Optional.empty();
            }

            @Override
            public void tell(Work now) { }

            @Override
            public void close() { }
        };
    }

    /** A node on which nothing is. */
    private static final class NoMember implements LocalMember {

        @Override
        public LocalTrace trace() {
            return LocalTrace.NONE;
        }

        @Override
        public LifeSigns lifeSigns() {
            return LifeSigns.NONE;
        }

        @Override
        public Optional<Ailment> hindrance() {
            return Optional.empty();
        }

        @Override
        public Map<MemberId, String> unreached(List<Member> voters) {
            return Map.of();
        }

        @Override
        public boolean listens(Member member) {
            return true;
        }

        @Override
        public String unready() {
            return "";
        }

        @Override
        public void writeManifest(List<Member> members, Member own) {
            throw new AssertionError("nobody asked for it");
        }

        @Override
        public String takeAway() {
            throw new AssertionError("nobody asked for it");
        }

        @Override
        public void help() { }
    }
}
