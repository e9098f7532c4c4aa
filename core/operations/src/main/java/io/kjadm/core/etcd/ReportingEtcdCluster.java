package io.kjadm.core.etcd;

import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;

import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The dry run's etcd: reads are real, changes are reported and answered as if they had been made.
 */
public final class ReportingEtcdCluster implements EtcdCluster {

    /** No real member has this ID in practice: etcd derives IDs from a hash. */
    private static final MemberId NEW = new MemberId(1);

    private final EtcdCluster real;
    private final Reporter out;
    private final List<Member> added = new ArrayList<>();
    private final List<MemberId> removed = new ArrayList<>();
    private final List<MemberId> promoted = new ArrayList<>();
    private final List<MemberId> defragmented = new ArrayList<>();
    private final List<Alarm> disarmed = new ArrayList<>();
    /** Who leads really, and who is said to. */
    private MemberId formerLeader = MemberId.NONE;

    private MemberId leader = MemberId.NONE;

    private ReportingEtcdCluster(EtcdCluster real, Reporter out) {
        this.real = real;
        this.out = out;
    }

    /** Connects as the real one does, and reports instead of changing. */
    public static EtcdConnector connector(EtcdConnector real, Reporter out) {
        return access -> new ReportingEtcdCluster(real.connect(access), out);
    }

    @Override
    public List<Member> members() {
        List<Member> members = new ArrayList<>(real.members());
        members.removeIf(member -> removed.contains(member.id()));
        members.replaceAll(member -> promoted.contains(member.id())
                ? new Member(
                        member.id(), member.name(), member.peerUrls(), member.clientUrls(), false)
                : member);
        members.addAll(added);
        // the first look confirms the addition; by the next one it has started and votes, as if
        // it had been waited for
        added.replaceAll(
                member -> new Member(member.id(), "dry-run", member.peerUrls(), List.of(), false));
        return members;
    }

    @Override
    public List<Member> membersKnownTo(URI clientUrl) {
        return real.membersKnownTo(clientUrl);
    }

    @Override
    public MemberStatus status(Member member) {
        return asChanged(real.status(member));
    }

    @Override
    public MemberStatus status(URI clientUrl) {
        return asChanged(real.status(clientUrl));
    }

    private MemberStatus asChanged(MemberStatus told) {
        return new MemberStatus(
                told.ids(),
                !formerLeader.isNone() && told.leaderId().equals(formerLeader)
                        ? leader
                        : told.leaderId(),
                told.versions(),
                defragmented.contains(told.memberId())
                        ? withoutRoom(told.database())
                        : told.database(),
                told.raft(),
                told.learner() && !promoted.contains(told.memberId()),
                told.errors().stream().filter(this::stays).toList());
    }

    private boolean stays(String error) {
        return disarmed.stream()
                .noneMatch(alarm -> error.contains("memberID:%s alarm:%s"
                        .formatted(Long.toUnsignedString(alarm.memberId().value()), alarm.kind())));
    }

    private static MemberStatus.Database withoutRoom(MemberStatus.Database database) {
        return new MemberStatus.Database(
                database.inUseBytes().orElse(database.sizeBytes()),
                database.inUseBytes(),
                database.quotaBytes());
    }

    @Override
    public Member addLearner(List<URI> peerUrls) {
        return add(peerUrls, true);
    }

    @Override
    public Member addVoter(List<URI> peerUrls) {
        return add(peerUrls, false);
    }

    private Member add(List<URI> peerUrls, boolean learner) {
        out.step(
                "dryrun",
                "Would add etcd member %s as a %s"
                        .formatted(
                                peerUrls.stream()
                                        .map(URI::toString)
                                        .collect(Collectors.joining(",")),
                                learner
                                        ? "learner, and promote it once it has caught up"
                                        : "voter"));
        Member member = new Member(NEW, "", peerUrls, List.of(), learner);
        added.add(member);
        return member;
    }

    @Override
    public void promote(MemberId learner) {
        out.step("dryrun", "Would promote etcd member " + learner);
        promoted.add(learner);
    }

    @Override
    public void remove(MemberId member) {
        out.step("dryrun", "Would remove etcd member " + member);
        added.removeIf(candidate -> candidate.id().equals(member));
        removed.add(member);
    }

    @Override
    public void moveLeader(MemberId from, MemberId to) {
        out.step("dryrun", "Would transfer etcd's leadership from %s to %s".formatted(from, to));
        formerLeader = formerLeader.isNone() ? from : formerLeader;
        leader = to;
    }

    @Override
    public List<Alarm> alarms() {
        return real.alarms().stream().filter(alarm -> !disarmed.contains(alarm)).toList();
    }

    @Override
    public long revision(URI clientUrl) {
        return real.revision(clientUrl);
    }

    @Override
    public void compact(long revision) {
        out.step("dryrun", "Would compact etcd to revision " + revision);
    }

    @Override
    public void defragment(URI clientUrl, Duration limit) {
        out.step("dryrun", "Would defragment the etcd member at " + clientUrl);
        defragmented.add(real.status(clientUrl).memberId());
    }

    @Override
    public void disarm(Alarm alarm) {
        out.step(
                "dryrun",
                "Would disarm alarm %s of etcd member %s"
                        .formatted(alarm.kind(), alarm.memberId()));
        disarmed.add(alarm);
    }

    @Override
    public EtcdVersion validateDowngrade(EtcdVersion target) {
        return real.validateDowngrade(target);
    }

    @Override
    public void enableDowngrade(EtcdVersion target) {
        out.step(
                "dryrun",
                "Would enable etcd's downgrade to %d.%d".formatted(target.major(), target.minor()));
    }

    @Override
    public void cancelDowngrade() {
        out.step("dryrun", "Would cancel etcd's downgrade");
    }

    @Override
    public KvHash hashKv(URI clientUrl, long revision) {
        return real.hashKv(clientUrl, revision);
    }

    @Override
    public void snapshot(URI clientUrl, OutputStream into) {
        out.step("dryrun", "Would take a snapshot of etcd at " + clientUrl);
    }

    @Override
    public void close() {
        real.close();
    }
}
