package io.kjadm.core.upgrade;

import io.kjadm.core.etcd.Forwarding;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.StatusAnswer;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** The cluster while the member of a node is upgraded: others change at its snapshot and hand-over. */
final class ChangingLeader extends Forwarding {

    private final UpgradingNode node;
    private Instant handedOver = Instant.EPOCH;

    ChangingLeader(UpgradingNode node) {
        super(node.etcd);
        this.node = node;
    }

    @Override
    public void snapshot(URI clientUrl, OutputStream into) throws IOException {
        super.snapshot(clientUrl, into);
        node.duringSnapshot.run();
    }

    @Override
    public void moveLeader(MemberId leader, MemberId successor) {
        super.moveLeader(leader, successor);
        handedOver = node.lab.waiter.now();
        node.duringHandOver.run();
    }

    @Override
    public Map<Member, StatusAnswer> statuses(Collection<Member> members) {
        Map<Member, StatusAnswer> answers = new LinkedHashMap<>(super.statuses(members));
        answers.replaceAll((_, answer) -> answer.status()
                .filter(this::lags)
                .map(now -> StatusAnswer.of(inFormerTerm(now)))
                .orElse(answer));
        return answers;
    }

    private boolean lags(MemberStatus follower) {
        return !follower.leads()
                && !follower.memberId().equals(node.member)
                && node.lab.waiter.now().isBefore(handedOver.plus(node.followerLags));
    }

    /** It names the new leader, and the term of the entry that it applied last: etcd tells that one. */
    private static MemberStatus inFormerTerm(MemberStatus now) {
        return new MemberStatus(
                now.ids(),
                now.leaderId(),
                now.versions(),
                now.database(),
                new MemberStatus.Raft(now.raftTerm() - 1, now.raftIndex(), now.appliedIndex()),
                now.learner(),
                now.errors());
    }
}
