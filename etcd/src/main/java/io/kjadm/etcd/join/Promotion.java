package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Brings a learner that is there to its vote, by the decisions of a join, but without touching any
 * node.
 */
public final class Promotion {

    /** Whoever names the learner has been told how many voters are well. */
    private static final RejoinOptions AS_ASKED =
            new RejoinOptions(false, false, false, true, false, Optional.empty());

    private Promotion() {}

    /**
     * The way of that learner from here on; it is only ever promoted, so a failure has nothing to
     * be rolled back.
     *
     * @param health what the members said just now; they must name a common leader
     */
    public static MemberJoinExecutor of(
            EtcdCluster cluster,
            EtcdHealth health,
            Member learner,
            JoinLimits limits,
            InstantSource clock) {
        MemberStatus leader = health.leaderStatus().orElseThrow();
        NewMember wanted = NewMember.elsewhere(learner.name(), learner.peerUrls());
        MemberAdder adder = new LearnerMemberAdder();
        List<Member> others = health.members().stream()
                .filter(member -> !member.id().equals(learner.id()))
                .toList();
        JoinEntry entry = JoinEntry.prepared(
                        wanted, "promotion", leader.clusterId(), others, clock.instant())
                .member(learner.id(), JoinState.STARTED, leader.raftIndex(), clock.instant());
        MembershipJournal journal = new TransientJournal();
        journal.write(entry);
        return new MemberJoinExecutor(
                wanted,
                adder,
                new JoinDecider(
                        wanted, JoinPlace.ANOTHER_MACHINE, entry.runId(), adder, AS_ASKED, limits),
                cluster,
                journal,
                new DistantMember(() -> true, LocalMemberHealth.NONE, (members, own) -> {
                    throw new IllegalStateException(
                            "the manifest of " + own.describe() + " is its node's");
                }),
                clock);
    }
}
