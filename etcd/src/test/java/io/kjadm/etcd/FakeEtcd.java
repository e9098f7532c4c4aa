package io.kjadm.etcd;

import io.etcd.jetcd.api.ClusterGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.MemberAddRequest;
import io.etcd.jetcd.api.MemberAddResponse;
import io.etcd.jetcd.api.MemberListRequest;
import io.etcd.jetcd.api.MemberListResponse;
import io.etcd.jetcd.api.MemberPromoteRequest;
import io.etcd.jetcd.api.MemberPromoteResponse;
import io.etcd.jetcd.api.MemberRemoveRequest;
import io.etcd.jetcd.api.MemberRemoveResponse;
import io.etcd.jetcd.api.MoveLeaderRequest;
import io.etcd.jetcd.api.MoveLeaderResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** One member's client port, which answers as it is told and notes what it was asked. */
final class FakeEtcd implements AutoCloseable {

    final MemberId id;
    final URI url;
    /** The member this one takes for the leader. */
    volatile MemberId leader = MemberId.NONE;
    /** What it lists. */
    volatile List<Member> members = List.of();

    private final Map<String, Status> refusals = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final Server server;

    FakeEtcd(long id) {
        this.id = new MemberId(id);
        try {
            server = NettyServerBuilder.forAddress(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .addService(new Cluster())
                    .addService(new Maintenance())
                    .build()
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        url = URI.create("http://127.0.0.1:" + server.getPort());
    }

    /** From now on that call is answered so. */
    void refuses(String call, Status status) {
        refusals.put(call, status);
    }

    /** Every call but those for a status, in order. */
    List<String> asked() {
        return List.copyOf(asked);
    }

    Member voter() {
        return member(false);
    }

    Member learner() {
        return member(true);
    }

    private Member member(boolean learner) {
        return new Member(
                id,
                "cp-" + id,
                List.of(URI.create("https://cp-" + id + ":2380")),
                List.of(url),
                learner);
    }

    private <T> void answer(String call, StreamObserver<T> to, T answer) {
        if (!call.equals("status")) {
            asked.add(call);
        }
        Status refusal = refusals.get(call);
        if (refusal != null) {
            to.onError(refusal.asRuntimeException());
            return;
        }
        to.onNext(answer);
        to.onCompleted();
    }

    private static io.etcd.jetcd.api.Member message(Member member) {
        return io.etcd.jetcd.api.Member.newBuilder()
                .setID(member.id().value())
                .setName(member.name())
                .setIsLearner(member.learner())
                .addAllPeerURLs(member.peerUrls().stream().map(URI::toString).toList())
                .addAllClientURLs(
                        member.clientUrls().stream().map(URI::toString).toList())
                .build();
    }

    private final class Cluster extends ClusterGrpc.ClusterImplBase {

        @Override
        public void memberList(MemberListRequest request, StreamObserver<MemberListResponse> to) {
            answer(
                    "list",
                    to,
                    MemberListResponse.newBuilder()
                            .addAllMembers(
                                    members.stream().map(FakeEtcd::message).toList())
                            .build());
        }

        @Override
        public void memberAdd(MemberAddRequest request, StreamObserver<MemberAddResponse> to) {
            answer(
                    "add",
                    to,
                    MemberAddResponse.newBuilder()
                            .setMember(io.etcd.jetcd.api.Member.newBuilder()
                                    .setID(99)
                                    .addAllPeerURLs(request.getPeerURLsList())
                                    .setIsLearner(request.getIsLearner()))
                            .build());
        }

        @Override
        public void memberRemove(
                MemberRemoveRequest request, StreamObserver<MemberRemoveResponse> to) {
            answer("remove", to, MemberRemoveResponse.getDefaultInstance());
        }

        @Override
        public void memberPromote(
                MemberPromoteRequest request, StreamObserver<MemberPromoteResponse> to) {
            answer("promote", to, MemberPromoteResponse.getDefaultInstance());
        }
    }

    private final class Maintenance extends MaintenanceGrpc.MaintenanceImplBase {

        @Override
        public void status(StatusRequest request, StreamObserver<StatusResponse> to) {
            answer(
                    "status",
                    to,
                    StatusResponse.newBuilder()
                            .setHeader(ResponseHeader.newBuilder()
                                    .setMemberId(id.value())
                                    .setClusterId(1))
                            .setLeader(leader.value())
                            .setVersion("3.5.30")
                            .build());
        }

        @Override
        public void moveLeader(MoveLeaderRequest request, StreamObserver<MoveLeaderResponse> to) {
            answer("moveLeader", to, MoveLeaderResponse.getDefaultInstance());
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
