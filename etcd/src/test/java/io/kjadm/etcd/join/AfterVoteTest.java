package io.kjadm.etcd.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.SimulatedCluster;

import org.junit.jupiter.api.Test;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What keeps a member that votes from being called well. */
class AfterVoteTest {

    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");
    private static final MemberId OLD = new MemberId(1);
    private static final MemberId NEW = new MemberId(2);

    private static Member member(MemberId id, String name) {
        return new Member(
                id,
                name,
                List.of(SimulatedCluster.peerUrl("cp-" + id)),
                name.isEmpty() ? List.of() : List.of(URI.create("https://" + name + ":2379")),
                false);
    }

    private static MemberStatus status(
            MemberId id, MemberId leader, long applied, boolean learner, String... errors) {
        return new MemberStatus(
                id,
                "c1",
                leader,
                MemberStatus.Versions.of(EtcdVersion.parse("3.5.30")),
                1,
                2,
                100,
                applied,
                learner,
                List.of(errors));
    }

    private static JoinDecision decided(
            Member own, String notReadyReason, MemberStatus... answers) {
        var statuses = new HashMap<MemberId, MemberStatus>();
        for (MemberStatus answer : answers) {
            statuses.put(answer.memberId(), answer);
        }
        var health = new EtcdHealth(List.of(member(OLD, "cp-1"), own), statuses, Map.of());
        NewMember wanted = new NewMember("cp-2", SimulatedCluster.peerUrl("cp-2"));
        JoinEntry entry = JoinEntry.prepared(wanted, "run", "c1", List.of(), NOW)
                .member(NEW, JoinState.PROMOTED, 100, NOW);
        var facts = new JoinFacts(
                NOW,
                Optional.of(entry),
                new ClusterView.Seen(health),
                new JoinFacts.Node(
                        LocalDataDir.SOME_DATA,
                        LocalMemberHealth.ALIVE,
                        Optional.empty(),
                        notReadyReason),
                JoinMemory.begun(NOW),
                false);
        return new VoteDecider(new LearnerMemberAdder(), RejoinOptions.NONE, JoinLimits.DEFAULTS)
                .afterVote(facts, entry, health, own);
    }

    private static void says(String text, JoinDecision decision) {
        assertEquals(
                new JoinDecision.Wait(
                        WaitReason.SETTLING, "the member is a voter; " + text, Duration.ZERO),
                decision);
    }

    @Test
    void eachThingThatIsMissingIsTold() {
        Member own = member(NEW, "cp-2");
        MemberStatus old = status(OLD, OLD, 100, false);
        MemberStatus well = status(NEW, OLD, 100, false);
        assertInstanceOf(JoinDecision.Finish.class, decided(own, "", old, well));
        says("it has not published its name yet", decided(member(NEW, ""), "", old, well));
        says(
                "it has not applied its promotion yet",
                decided(own, "", old, status(NEW, OLD, 100, true)));
        says("it knows no leader", decided(own, "", old, status(NEW, MemberId.NONE, 100, false)));
        says(
                "it reports alarm:NOSPACE",
                decided(own, "", old, status(NEW, OLD, 100, false, " alarm:NOSPACE ")));
        says(
                "it has not applied what was committed before its promotion",
                decided(own, "", old, status(NEW, OLD, 99, false)));
        says("it is not ready: not yet", decided(own, "not yet", old, well));
        says(
                "of 2 voters only 1 are healthy: %s: no answer"
                        .formatted(member(OLD, "cp-1").describe()),
                decided(own, "", well));
    }
}
