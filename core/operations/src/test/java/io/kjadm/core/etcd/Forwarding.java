package io.kjadm.core.etcd;

import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.StatusAnswer;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** A cluster that answers as another one does, until somebody changes that. */
public class Forwarding implements EtcdCluster {

    private final EtcdCluster real;

    public Forwarding(EtcdCluster real) {
        this.real = real;
    }

    @Override
    public List<Member> members() {
        return real.members();
    }

    @Override
    public List<Member> membersKnownTo(URI clientUrl) {
        return real.membersKnownTo(clientUrl);
    }

    @Override
    public MemberStatus status(Member member) {
        return real.status(member);
    }

    @Override
    public Map<Member, StatusAnswer> statuses(Collection<Member> members) {
        return real.statuses(members);
    }

    @Override
    public MemberStatus status(URI clientUrl) {
        return real.status(clientUrl);
    }

    @Override
    public Member addLearner(List<URI> peerUrls) {
        return real.addLearner(peerUrls);
    }

    @Override
    public Member addVoter(List<URI> peerUrls) {
        return real.addVoter(peerUrls);
    }

    @Override
    public void promote(MemberId learner) {
        real.promote(learner);
    }

    @Override
    public void remove(MemberId member) {
        real.remove(member);
    }

    @Override
    public void moveLeader(MemberId from, MemberId to) {
        real.moveLeader(from, to);
    }

    @Override
    public List<Alarm> alarms() {
        return real.alarms();
    }

    @Override
    public void snapshot(URI clientUrl, OutputStream into) throws IOException {
        real.snapshot(clientUrl, into);
    }

    @Override
    public EtcdVersion validateDowngrade(EtcdVersion target) {
        return real.validateDowngrade(target);
    }

    @Override
    public void enableDowngrade(EtcdVersion target) {
        real.enableDowngrade(target);
    }

    @Override
    public void cancelDowngrade() {
        real.cancelDowngrade();
    }

    @Override
    public KvHash hashKv(URI clientUrl, long revision) {
        return real.hashKv(clientUrl, revision);
    }

    @Override
    public long revision(URI clientUrl) {
        return real.revision(clientUrl);
    }

    @Override
    public void compact(long revision) {
        real.compact(revision);
    }

    @Override
    public void defragment(URI clientUrl, Duration limit) {
        real.defragment(clientUrl, limit);
    }

    @Override
    public void disarm(Alarm alarm) {
        real.disarm(alarm);
    }

    @Override
    public void close() {
        real.close();
    }
}
