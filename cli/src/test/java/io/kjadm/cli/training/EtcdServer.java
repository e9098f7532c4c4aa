package io.kjadm.cli.training;

import com.google.protobuf.ByteString;

import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmResponse;
import io.etcd.jetcd.api.ClusterGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.Member;
import io.etcd.jetcd.api.MemberListRequest;
import io.etcd.jetcd.api.MemberListResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.SnapshotRequest;
import io.etcd.jetcd.api.SnapshotResponse;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.grpc.Server;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.SslProvider;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** The only member of an etcd cluster, well and idle; it changes nothing. */
final class EtcdServer implements AutoCloseable {

    /** What its snapshot begins with, which is no database. */
    static final String SECRET_VALUE = "the-value-of-a-secret";

    private static final long ID = 0x10a1;

    private final Server server;

    /** @param certificates the folder of etcd's server certificate */
    EtcdServer(Path certificates) throws IOException {
        this.server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .sslContext(GrpcSslContexts.configure(
                                GrpcSslContexts.forServer(
                                        certificates.resolve("server.crt").toFile(),
                                        certificates.resolve("server.key").toFile()),
                                SslProvider.JDK)
                        .build())
                .addService(new Members())
                .addService(new Health())
                .build()
                .start();
    }

    String clientUrl() {
        return "https://127.0.0.1:" + server.getPort();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    private static ResponseHeader header() {
        return ResponseHeader.newBuilder()
                .setClusterId(0xcdf8)
                .setMemberId(ID)
                .setRaftTerm(2)
                .build();
    }

    private static <T> void answer(StreamObserver<T> observer, T answer) {
        observer.onNext(answer);
        observer.onCompleted();
    }

    private final class Members extends ClusterGrpc.ClusterImplBase {

        @Override
        public void memberList(
                MemberListRequest request, StreamObserver<MemberListResponse> observer) {
            answer(
                    observer,
                    MemberListResponse.newBuilder()
                            .setHeader(header())
                            .addMembers(Member.newBuilder()
                                    .setID(ID)
                                    .setName("cp-1")
                                    .addPeerURLs("https://127.0.0.1:1")
                                    .addClientURLs(clientUrl()))
                            .build());
        }
    }

    private static final class Health extends MaintenanceGrpc.MaintenanceImplBase {

        @Override
        public void status(StatusRequest request, StreamObserver<StatusResponse> observer) {
            answer(
                    observer,
                    StatusResponse.newBuilder()
                            .setHeader(header())
                            .setVersion("3.6.8")
                            .setDbSize(4_000_000)
                            .setLeader(ID)
                            .setRaftTerm(2)
                            .setRaftIndex(1000)
                            .setRaftAppliedIndex(1000)
                            .build());
        }

        @Override
        public void snapshot(SnapshotRequest request, StreamObserver<SnapshotResponse> observer) {
            answer(
                    observer,
                    SnapshotResponse.newBuilder()
                            .setBlob(ByteString.copyFromUtf8(SECRET_VALUE.repeat(1000)))
                            .build());
        }

        @Override
        public void alarm(AlarmRequest request, StreamObserver<AlarmResponse> observer) {
            answer(observer, AlarmResponse.newBuilder().setHeader(header()).build());
        }
    }
}
