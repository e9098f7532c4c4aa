package io.kjadm.core.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.phase.RecordingReporter;
import io.kjadm.core.phase.VirtualWaiter;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.StatusAnswer;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Whether another member leads is what counts, not the answer of the transfer. */
class LeadershipTransferTest {

    private final SimulatedCluster etcd = SimulatedCluster.ofVoters(3);
    private final VirtualWaiter waiter = new VirtualWaiter();
    private final RecordingReporter out = new RecordingReporter();
    private final Member leader = member(etcd.leader());

    private Member member(MemberId id) {
        return etcd.members().stream()
                .filter(member -> member.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private Member member(String name) {
        return member(etcd.id(name));
    }

    private Member transfer(EtcdCluster cluster) {
        return new LeadershipTransfer(waiter, out, "test")
                .away(cluster, leader, member("cp-2"), "look");
    }

    private List<String> moves() {
        return etcd.changes().stream()
                .filter(change -> change.startsWith("moveLeader"))
                .toList();
    }

    @Test
    void theMemberThatIsAskedLeads() {
        assertEquals(member("cp-2"), transfer(etcd));
        assertEquals(1, moves().size());
        assertEquals(Duration.ZERO, waiter.elapsed());
    }

    /** A defragmentation failed so, although a healthy voter led. */
    @Test
    void anyOtherLeaderWillDo() {
        EtcdCluster elected = new Forwarding(etcd) {
            @Override
            public void moveLeader(MemberId from, MemberId to) {
                etcd.moveLeader(from, etcd.id("cp-3"));
            }
        };
        assertEquals(member("cp-3"), transfer(elected));
    }

    @Test
    void aTransferThatFailsIsRepeated() {
        etcd.next(SimulatedCluster.Fault.UNHEALTHY, SimulatedCluster.Fault.UNHEALTHY);
        assertEquals(member("cp-2"), transfer(etcd));
        assertEquals(3, moves().size());
    }

    @Test
    void aLeaderThatStaysEndsItWithTheAnswerOfEtcd() {
        etcd.next(Collections.nCopies(100, SimulatedCluster.Fault.UNHEALTHY)
                .toArray(SimulatedCluster.Fault[]::new));
        ClusterException failed = assertThrows(ClusterException.class, () -> transfer(etcd));
        assertEquals("look", failed.next());
        assertEquals(leader.id(), etcd.leader());
        assertTrue(waiter.elapsed().compareTo(Duration.ofSeconds(30)) >= 0);
    }

    /** Its own look before the next step would find two terms. */
    @Test
    void aFollowerThatHasNotHeardOfItIsAwaited() {
        assertEquals(member("cp-2"), transfer(late(3)));
        assertEquals(Duration.ofMillis(1500), waiter.elapsed());
    }

    @Test
    void aFollowerThatIsCutOffIsNotAwaitedForLong() {
        assertEquals(member("cp-2"), transfer(late(Integer.MAX_VALUE)));
        assertEquals(Duration.ofSeconds(20), waiter.elapsed());
    }

    /** The cluster with a follower that knows the old leader for some looks. */
    private EtcdCluster late(int looks) {
        MemberStatus old = etcd.status(member("cp-3"));
        return new Forwarding(etcd) {
            private int looked;

            @Override
            public Map<Member, StatusAnswer> statuses(Collection<Member> members) {
                Map<Member, StatusAnswer> answers = new HashMap<>(super.statuses(members));
                if (looked++ < looks) {
                    answers.put(LeadershipTransferTest.this.member("cp-3"), StatusAnswer.of(old));
                }
                return answers;
            }
        };
    }
}
