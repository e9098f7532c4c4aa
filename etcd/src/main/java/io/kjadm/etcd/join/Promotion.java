package io.kjadm.etcd.join;

import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
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
        NewMember wanted = new NewMember(learner.name(), learner.peerUrls().getFirst());
        MemberAdder adder = new LearnerMemberAdder();
        JoinEntry entry = JoinEntry.prepared(
                        wanted, "promotion", leader.clusterId(), List.of(), clock.instant())
                .member(learner.id(), JoinState.STARTED, leader.raftIndex(), clock.instant());
        return new MemberJoinExecutor(
                wanted,
                adder,
                new JoinDecider(wanted, entry.runId(), adder, AS_ASKED, limits),
                cluster,
                new Memory(entry),
                new Elsewhere(),
                clock);
    }

    /** Lives as long as the program: who is interrupted asks again. */
    private static final class Memory implements MembershipJournal {

        private Optional<JoinEntry> entry;

        Memory(JoinEntry entry) {
            this.entry = Optional.of(entry);
        }

        @Override
        public Optional<JoinEntry> read() {
            return entry;
        }

        @Override
        public void write(JoinEntry next) {
            entry = Optional.of(next);
        }

        @Override
        public void clear() {
            entry = Optional.empty();
        }
    }

    /** The member's node, of which nothing is known here and where nothing can be done. */
    private static final class Elsewhere implements LocalMember {

        @Override
        public LocalDataDir localDataDir() {
            return LocalDataDir.SOME_DATA;
        }

        @Override
        public LocalMemberHealth memberHealth() {
            return LocalMemberHealth.NONE;
        }

        @Override
        public Optional<StartProblem> startProblem() {
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
        public String notReadyReason() {
            return "";
        }

        @Override
        public void writeManifest(List<Member> members, Member own) {
            throw new IllegalStateException("the manifest of " + own.describe() + " is its node's");
        }

        @Override
        public String stopAndSetAside() {
            throw new IllegalStateException("nothing on the member's node is taken away from here");
        }

        @Override
        public void help(boolean announced) {
            // only on its node
        }
    }
}
