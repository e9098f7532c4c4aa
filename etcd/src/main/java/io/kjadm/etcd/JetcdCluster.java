package io.kjadm.etcd;

import com.google.protobuf.ByteString;

import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmType;
import io.etcd.jetcd.api.ClusterGrpc;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.DefragmentRequest;
import io.etcd.jetcd.api.DefragmentResponse;
import io.etcd.jetcd.api.HashKVRequest;
import io.etcd.jetcd.api.HashKVResponse;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.MemberAddRequest;
import io.etcd.jetcd.api.MemberPromoteRequest;
import io.etcd.jetcd.api.MemberRemoveRequest;
import io.etcd.jetcd.api.MoveLeaderRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.StatusRequest;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.kjadm.etcd.EtcdMessages.DowngradeAction;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A real cluster, reached through jetcd's generated stubs; which member is asked is the matter of
 * {@link MemberCalls}.
 */
final class JetcdCluster implements EtcdCluster {

    /** Above the server's own limit of 7 s, so that the server's answer comes first. */
    private static final Duration MEMBERSHIP_LIMIT = Duration.ofSeconds(10);

    private static final Duration STATUS_LIMIT = Duration.ofSeconds(3);
    /** For 8 GiB, the largest that etcd recommends, to a slow disk. */
    private static final Duration SNAPSHOT_LIMIT = Duration.ofMinutes(30);
    /** Above the server's own limit of 5 s for a read and an election. */
    private static final Duration READ_LIMIT = Duration.ofSeconds(6);
    /** For as much: revisions are removed in small parts, with writes between them. */
    private static final Duration COMPACTION_LIMIT = Duration.ofMinutes(30);
    /** For as much, which is read from memory. */
    private static final Duration HASH_LIMIT = Duration.ofMinutes(2);

    private static final MethodDescriptor<DefragmentRequest, DefragmentResponse> DOWNGRADE =
            MaintenanceGrpc.getDefragmentMethod().toBuilder()
                    .setFullMethodName(MethodDescriptor.generateFullMethodName(
                            MaintenanceGrpc.SERVICE_NAME, "Downgrade"))
                    .build();

    private final Channels channels;
    private final MemberCalls calls;

    JetcdCluster(List<URI> given, Channels channels) {
        this.channels = channels;
        this.calls = new MemberCalls(given, channels, this);
    }

    @Override
    public List<Member> members() {
        List<Member> members = calls.read(
                "member list",
                channel -> EtcdMessages.members(
                        withLeader(ClusterGrpc.newBlockingStub(channel), MEMBERSHIP_LIMIT)
                                .memberList(EtcdMessages.linearizableList())
                                .getMembersList()));
        calls.follow(members);
        return members;
    }

    @Override
    public List<Member> membersKnownTo(URI clientUrl) {
        return channels.call(
                "member list",
                RpcKind.READ,
                clientUrl,
                channel -> EtcdMessages.members(ClusterGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(STATUS_LIMIT)
                        .memberList(EtcdMessages.ownList())
                        .getMembersList()));
    }

    @Override
    public MemberStatus status(Member member) {
        List<EtcdCallException> failures = new ArrayList<>();
        Optional<MemberStatus> stranger = Optional.empty();
        for (URI url : member.clientUrls()) {
            try {
                MemberStatus status = status(url);
                if (status.memberId().equals(member.id())) {
                    return status;
                }
                // a loopback client URL leads to our own etcd, not to the member's
                stranger = Optional.of(status);
            } catch (EtcdCallException e) {
                failures.add(e);
            }
        }
        return stranger.orElseThrow(() -> failures.isEmpty()
                ? new EtcdCallException(
                        ErrorClass.TRANSIENT,
                        RpcCode.UNAVAILABLE,
                        "the member has not published its client URLs yet",
                        "status of member " + member.id(),
                        null)
                : MemberCalls.worst(failures));
    }

    @Override
    public MemberStatus status(URI clientUrl) {
        return channels.call("status", RpcKind.READ, clientUrl, channel -> {
            // without "hasleader": a member that has lost its leader still tells about itself
            var stub = MaintenanceGrpc.newBlockingStub(channel).withDeadlineAfter(STATUS_LIMIT);
            try {
                return EtcdMessages.status(stub.status(StatusRequest.getDefaultInstance()));
            } catch (IllegalArgumentException e) {
                throw new EtcdCallException(
                        ErrorClass.FATAL,
                        RpcCode.INTERNAL,
                        e.getMessage(),
                        "status at " + clientUrl,
                        e);
            }
        });
    }

    @Override
    public Map<Member, StatusAnswer> statuses(Collection<Member> members, MemberId starting) {
        return ParallelCalls.all(
                members,
                member -> StatusAnswer.ask(this, member),
                member -> member.id().equals(starting)
                        ? Optional.of(START_PATIENCE)
                        : Optional.empty(),
                member -> StatusAnswer.none("it accepts connections but is not serving yet"));
    }

    @Override
    public Member addLearner(List<URI> peerUrls) {
        return add("learner", peerUrls, true);
    }

    @Override
    public Member addVoter(List<URI> peerUrls) {
        return add("voter", peerUrls, false);
    }

    private Member add(String role, List<URI> peerUrls, boolean learner) {
        List<String> urls = peerUrls.stream().map(URI::toString).toList();
        String what = "add of %s %s".formatted(role, String.join(",", urls));
        var request = MemberAddRequest.newBuilder()
                .addAllPeerURLs(urls)
                .setIsLearner(learner)
                .build();
        return calls.change(
                what,
                channel -> EtcdMessages.member(
                        withLeader(ClusterGrpc.newBlockingStub(channel), MEMBERSHIP_LIMIT)
                                .memberAdd(request)
                                .getMember()));
    }

    @Override
    public void promote(MemberId learner) {
        String what = "promotion of member " + learner;
        MemberCalls.Leader leader = calls.leader(what);
        var request = MemberPromoteRequest.newBuilder().setID(learner.value()).build();
        channels.call(
                what,
                RpcKind.CHANGE,
                leader.endpoint(),
                channel -> withLeader(ClusterGrpc.newBlockingStub(channel), MEMBERSHIP_LIMIT)
                        .memberPromote(request));
    }

    @Override
    public void remove(MemberId member) {
        var request = MemberRemoveRequest.newBuilder().setID(member.value()).build();
        calls.change(
                "removal of member " + member,
                channel -> withLeader(ClusterGrpc.newBlockingStub(channel), MEMBERSHIP_LIMIT)
                        .memberRemove(request));
    }

    @Override
    public void moveLeader(MemberId from, MemberId to) {
        String what = "leader transfer from " + from + " to " + to;
        MemberCalls.Leader leader = calls.leader(what);
        if (!leader.status().memberId().equals(from)) {
            throw EtcdCallException.refused(
                    RpcKind.READ, RpcCode.UNAVAILABLE, EtcdErrors.LEADER_CHANGED, what);
        }
        var request = MoveLeaderRequest.newBuilder().setTargetID(to.value()).build();
        channels.call(
                what,
                RpcKind.CHANGE,
                leader.endpoint(),
                channel -> withLeader(MaintenanceGrpc.newBlockingStub(channel), MEMBERSHIP_LIMIT)
                        .moveLeader(request));
        calls.leaderMoved();
    }

    @Override
    public List<Alarm> alarms() {
        var request = AlarmRequest.newBuilder()
                .setAction(AlarmRequest.AlarmAction.GET)
                .setAlarm(AlarmType.NONE)
                .build();
        return calls.read(
                "alarms",
                channel -> withLeader(MaintenanceGrpc.newBlockingStub(channel), MEMBERSHIP_LIMIT)
                        .alarm(request)
                        .getAlarmsList()
                        .stream()
                        .map(EtcdMessages::alarm)
                        .toList());
    }

    @Override
    public EtcdVersion validateDowngrade(EtcdVersion target) {
        return calls.listed()
                .read(
                        "validation of a downgrade",
                        channel -> downgrade(channel, DowngradeAction.VALIDATE, minor(target)));
    }

    @Override
    public void enableDowngrade(EtcdVersion target) {
        calls.change(
                "downgrade to " + minor(target),
                channel -> downgrade(channel, DowngradeAction.ENABLE, minor(target)));
    }

    @Override
    public void cancelDowngrade() {
        calls.change(
                "end of a downgrade", channel -> downgrade(channel, DowngradeAction.CANCEL, ""));
    }

    private static String minor(EtcdVersion version) {
        return version.major() + "." + version.minor();
    }

    /** jetcd has no stub of it, so it is called by its name. */
    private static EtcdVersion downgrade(
            ManagedChannel channel, DowngradeAction action, String target) {
        var stub = withLeader(MaintenanceGrpc.newBlockingStub(channel), MEMBERSHIP_LIMIT);
        return EtcdMessages.clusterVersion(ClientCalls.blockingUnaryCall(
                stub.getChannel(),
                DOWNGRADE,
                stub.getCallOptions(),
                EtcdMessages.downgradeRequest(action, target)));
    }

    @Override
    public void snapshot(URI clientUrl, OutputStream into) throws IOException {
        try {
            channels.call("snapshot", RpcKind.READ, clientUrl, channel -> {
                pass(channel, into);
                return into;
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public KvHash hashKv(URI clientUrl, long revision) {
        var request = HashKVRequest.newBuilder().setRevision(revision).build();
        return channels.call("hash", RpcKind.READ, clientUrl, channel -> {
            HashKVResponse answer = MaintenanceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(HASH_LIMIT)
                    .hashKV(request);
            return new KvHash(
                    revision == 0 ? answer.getHeader().getRevision() : revision,
                    answer.getCompactRevision(),
                    answer.getHash());
        });
    }

    @Override
    public long revision(URI clientUrl) {
        var request = RangeRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8("health"))
                .setCountOnly(true)
                .build();
        return channels.call(
                "read",
                RpcKind.READ,
                clientUrl,
                channel -> withLeader(KVGrpc.newBlockingStub(channel), READ_LIMIT)
                        .range(request)
                        .getHeader()
                        .getRevision());
    }

    @Override
    public void compact(long revision) {
        var request = CompactionRequest.newBuilder()
                .setRevision(revision)
                .setPhysical(true)
                .build();
        calls.change(
                "compaction to revision " + revision,
                channel -> withLeader(KVGrpc.newBlockingStub(channel), COMPACTION_LIMIT)
                        .compact(request));
    }

    @Override
    public void defragment(URI clientUrl, Duration limit) {
        channels.call(
                "defragmentation",
                RpcKind.CHANGE,
                clientUrl,
                channel -> MaintenanceGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(limit)
                        .defragment(DefragmentRequest.getDefaultInstance()));
    }

    @Override
    public void disarm(Alarm alarm) {
        var request = AlarmRequest.newBuilder()
                .setAction(AlarmRequest.AlarmAction.DEACTIVATE)
                .setMemberID(alarm.memberId().value())
                .setAlarmValue(EtcdMessages.alarmNumber(alarm))
                .build();
        calls.change(
                "disarming of alarm %s of member %s".formatted(alarm.kind(), alarm.memberId()),
                channel -> withLeader(MaintenanceGrpc.newBlockingStub(channel), MEMBERSHIP_LIMIT)
                        .alarm(request));
    }

    private static void pass(ManagedChannel channel, OutputStream into) {
        try {
            SnapshotStream.pass(channel, SNAPSHOT_LIMIT, into);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        channels.close();
    }

    /**
     * With the metadata by which a member without leader refuses at once instead of waiting for its
     * own limit.
     */
    private static <S extends AbstractStub<S>> S withLeader(S stub, Duration limit) {
        var headers = new Metadata();
        headers.put(Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER), "true");
        return stub.withDeadlineAfter(limit)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }
}
