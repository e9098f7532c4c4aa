package io.kjadm.e2e.cluster;

import com.google.protobuf.ByteString;

import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.StatusRequest;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.kjadm.e2e.lab.Node;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import javax.net.ssl.SSLException;

/** Talks from the test to the etcd member of one node, with the certificates of that node. */
final class EtcdClient implements WriteTarget {
    /** Of a standalone member, and of one beside an API server. */
    private static final List<String> PKI = List.of("/etc/etcd/pki/", "/etc/kubernetes/pki/etcd/");

    private static final long LIMIT_SECONDS = 3;
    private static final long LONG_LIMIT_SECONDS = 30;

    private final ManagedChannel channel;

    private EtcdClient(ManagedChannel channel) {
        this.channel = channel;
    }

    static EtcdClient to(Node node) {
        return new EtcdClient(channel(node));
    }

    /** A connection to a node's member, which the caller has to shut down. */
    static ManagedChannel channel(Node node) {
        return channel(node, tls(node));
    }

    /** The same with certificates that were read before, of this node or of another one. */
    static ManagedChannel channel(Node node, SslContext certificates) {
        return NettyChannelBuilder.forAddress(node.address(), 2379)
                .sslContext(certificates)
                .proxyDetector(address -> null)
                .build();
    }

    /** With the certificates of a node. */
    static SslContext tls(Node node) {
        try {
            var client = GrpcSslContexts.forClient()
                    .keyStoreType("JKS")
                    .trustManager(pem(node, "ca.crt"))
                    .keyManager(pem(node, "peer.crt"), pem(node, "peer.key"));
            return GrpcSslContexts.configure(client, SslProvider.JDK).build();
        } catch (SSLException e) {
            throw new IllegalStateException("the certificates of " + node + " cannot be used", e);
        }
    }

    /** One of the files of etcd's certificates on a node. */
    static InputStream pem(Node node, String name) {
        var directory = PKI.stream()
                .filter(path -> node.exists(path + "peer.crt"))
                .findFirst()
                .orElseThrow();
        return new ByteArrayInputStream(
                node.read(directory + name).getBytes(StandardCharsets.UTF_8));
    }

    /** @throws io.grpc.StatusRuntimeException if it was not acknowledged within 3 seconds */
    @Override
    public void put(String key, String value) {
        kv().put(PutRequest.newBuilder()
                .setKey(bytes(key))
                .setValue(bytes(value))
                .build());
    }

    /**
     * Whether a key is there, read linearizably.
     *
     * @throws io.grpc.StatusRuntimeException if there was no answer within 3 seconds
     */
    @Override
    public boolean has(String key) {
        return kv().range(RangeRequest.newBuilder()
                                .setKey(bytes(key))
                                .setKeysOnly(true)
                                .build())
                        .getKvsCount()
                == 1;
    }

    /** All keys with a prefix that ends in a slash, read linearizably. */
    @Override
    public Set<String> keys(String prefix) {
        var end = prefix.substring(0, prefix.length() - 1) + (char) ('/' + 1);
        return KVGrpc.newBlockingStub(channel)
                .withWaitForReady()
                .withDeadlineAfter(LONG_LIMIT_SECONDS, TimeUnit.SECONDS)
                .range(RangeRequest.newBuilder()
                        .setKey(bytes(prefix))
                        .setRangeEnd(bytes(end))
                        .setKeysOnly(true)
                        .build())
                .getKvsList()
                .stream()
                .map(entry -> entry.getKey().toStringUtf8())
                .collect(Collectors.toSet());
    }

    /** Raises an alarm as the member itself would, or takes all of that kind back. */
    void alarm(Alarm type, long member, boolean raised) {
        var action =
                raised ? AlarmRequest.AlarmAction.ACTIVATE : AlarmRequest.AlarmAction.DEACTIVATE;
        maintenance()
                .alarm(AlarmRequest.newBuilder()
                        .setAction(action)
                        .setAlarmValue(type.number())
                        .setMemberID(member)
                        .build());
    }

    /** That the member tells. */
    String version() {
        return maintenance().status(StatusRequest.getDefaultInstance()).getVersion();
    }

    /** Begins a downgrade to a version, or cancels it; in 3.6 and newer. */
    void downgrade(Optional<String> version) {
        // DowngradeRequest, which the library does not have: action (1 begins, 2 cancels) is its
        // field 1, version its field 2
        var request = new ByteArrayOutputStream();
        request.writeBytes(new byte[] {8, (byte) (version.isPresent() ? 1 : 2)});
        version.ifPresent(wanted -> {
            request.write(2 << 3 | 2);
            request.write(wanted.length());
            request.writeBytes(wanted.getBytes(StandardCharsets.US_ASCII));
        });
        var method = MethodDescriptor.newBuilder(new EtcdProxy.Bytes(), new EtcdProxy.Bytes())
                .setFullMethodName("etcdserverpb.Maintenance/Downgrade")
                .setType(MethodDescriptor.MethodType.UNARY)
                .build();
        ClientCalls.blockingUnaryCall(
                channel,
                method,
                CallOptions.DEFAULT.withDeadlineAfter(LONG_LIMIT_SECONDS, TimeUnit.SECONDS),
                request.toByteArray());
    }

    private MaintenanceGrpc.MaintenanceBlockingStub maintenance() {
        return MaintenanceGrpc.newBlockingStub(channel)
                .withWaitForReady()
                .withDeadlineAfter(LONG_LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private KVGrpc.KVBlockingStub kv() {
        return KVGrpc.newBlockingStub(channel)
                .withWaitForReady()
                .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    /**
     * Tries to connect now: after a long outage gRPC would wait for minutes before its next
     * attempt.
     */
    @Override
    public void reconnect() {
        channel.resetConnectBackoff();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
