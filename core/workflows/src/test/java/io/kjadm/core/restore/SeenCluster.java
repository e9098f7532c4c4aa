package io.kjadm.core.restore;

import io.kjadm.core.etcd.Forwarding;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.RpcCode;

import java.net.URI;
import java.util.List;

/** A cluster as a node sees it that is to be restored. */
final class SeenCluster extends Forwarding {

    private final RestoringNode node;

    SeenCluster(RestoringNode node) {
        super(node.etcd);
        this.node = node;
    }

    private void reach(URI clientUrl) {
        if (node.unreachable.contains(clientUrl.getHost())) {
            throw new EtcdCallException(
                    ErrorClass.TRANSIENT, RpcCode.UNAVAILABLE, "no route", "status", null);
        }
    }

    @Override
    public List<Member> membersKnownTo(URI clientUrl) {
        reach(clientUrl);
        return super.membersKnownTo(clientUrl).stream()
                .filter(member -> !node.startedEmpty || member.name().equals("cp-1"))
                .toList();
    }

    @Override
    public MemberStatus status(URI clientUrl) {
        reach(clientUrl);
        MemberStatus now = super.status(clientUrl);
        if (node.startedEmpty) {
            return with(now, now.memberId(), 4);
        }
        if (node.leaderKnownFor == 0) {
            return now;
        }
        node.leaderKnownFor--;
        return with(now, node.etcd.id("cp-2"), now.appliedIndex());
    }

    private MemberStatus with(MemberStatus now, MemberId leader, long appliedIndex) {
        return new MemberStatus(
                now.ids(),
                leader,
                now.versions(),
                now.database(),
                new MemberStatus.Raft(now.raftTerm(), now.raftIndex(), appliedIndex),
                now.learner(),
                List.of());
    }
}
