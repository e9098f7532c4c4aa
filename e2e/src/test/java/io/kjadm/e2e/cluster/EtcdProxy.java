package io.kjadm.e2e.cluster;

import io.etcd.jetcd.api.MemberListResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.kjadm.e2e.lab.Node;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Sits between the programs of one node and the etcd member of another, and lets some calls go
 * wrong. The node's own traffic to that member is redirected here; the proxy shows the certificate
 * of the member that is behind it. Streams between etcd members do not pass it.
 */
public final class EtcdProxy implements AutoCloseable {
    /** {@code etcdserverpb.Cluster}'s. */
    public static final String ADD = "etcdserverpb.Cluster/MemberAdd";
    /** {@code etcdserverpb.Cluster}'s. */
    public static final String PROMOTE = "etcdserverpb.Cluster/MemberPromote";
    /** {@code etcdserverpb.Cluster}'s. */
    public static final String REMOVE = "etcdserverpb.Cluster/MemberRemove";
    /** {@code etcdserverpb.Cluster}'s. */
    public static final String LIST = "etcdserverpb.Cluster/MemberList";

    private static final Status BROKEN =
            Status.UNAVAILABLE.withDescription("Connection reset by peer");
    private static final String AGREED = "etcdserverpb.Cluster/";
    private static final String RULE = "-p tcp -d %s --dport 2379 -j DNAT --to-destination %s:%d";

    private final Node client;
    private final String rule;
    private final ManagedChannel member;
    private final Server server;
    private final Map<String, Queue<Fault>> faults = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private volatile Duration slowness = Duration.ZERO;
    private volatile byte[] zombie = {};

    /** What goes wrong with one call. */
    public sealed interface Fault {
        /** The member never gets the request. */
        record RequestLost() implements Fault {}

        /** The member gets it and does it, and nobody hears of that. */
        record AnswerLost() implements Fault {}

        /** The member never gets the request; the caller is answered so. */
        record Refused(Status status) implements Fault {}

        /** The member gets it and does it; the caller is answered so. */
        record Misreported(Status status) implements Fault {}

        /**
         * The member gets it between the one and the other; the caller hears what the connection
         * brings.
         */
        record Between(Runnable before, Runnable after) implements Fault {}

        /**
         * The member gets it and does it; then this is done, and the caller's connection breaks.
         */
        record BrokenAfter(Runnable then) implements Fault {}
    }

    private EtcdProxy(Node client, Node behind) {
        this.client = client;
        this.member = EtcdClient.channel(behind);
        var here = client.shell("ip route show default | awk '{print $3}'");
        try {
            this.server = NettyServerBuilder.forAddress(new InetSocketAddress(here, 0))
                    .sslContext(tls(behind))
                    .fallbackHandlerRegistry(new Everything())
                    .build()
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen at " + here, e);
        }
        this.rule = RULE.formatted(behind.address(), here, server.getPort());
        client.shell("iptables -t nat -I OUTPUT " + rule);
    }

    /** From now on what {@code client} sends to the member of {@code behind} passes here. */
    public static EtcdProxy between(Node client, Node behind) {
        return new EtcdProxy(client, behind);
    }

    /**
     * The next calls of a method go wrong, one after another; each call of this method adds one.
     */
    public EtcdProxy next(String method, Fault fault) {
        faults.computeIfAbsent(method, name -> new ArrayDeque<>()).add(fault);
        return this;
    }

    /** What the members have to agree about is held up for so long before the member gets it. */
    public EtcdProxy slow(Duration by) {
        slowness = by;
        return this;
    }

    /**
     * The member's own memory lists one more voter than all members agree about, as after
     * etcd#13196.
     */
    public EtcdProxy remembering(long id, String name, String peerUrl) {
        // messages that follow each other in one text are one message: repeated fields add up
        zombie = MemberListResponse.newBuilder()
                .addMembers(io.etcd.jetcd.api.Member.newBuilder()
                        .setID(id)
                        .setName(name)
                        .addPeerURLs(peerUrl))
                .build()
                .toByteArray();
        return this;
    }

    /** How often a method was called. */
    public int calls(String method) {
        return calls.getOrDefault(method, new AtomicInteger()).get();
    }

    private static SslContext tls(Node behind) throws IOException {
        var builder = SslContextBuilder.forServer(
                        EtcdClient.pem(behind, "server.crt"), EtcdClient.pem(behind, "server.key"))
                .trustManager(EtcdClient.pem(behind, "ca.crt"))
                .clientAuth(ClientAuth.REQUIRE);
        return GrpcSslContexts.configure(builder, SslProvider.JDK).build();
    }

    /** Takes any method; messages are not looked into. */
    private final class Everything extends HandlerRegistry {
        @Override
        public ServerMethodDefinition<?, ?> lookupMethod(String name, String authority) {
            var method = MethodDescriptor.newBuilder(new Bytes(), new Bytes())
                    .setFullMethodName(name)
                    .setType(MethodDescriptor.MethodType.UNKNOWN)
                    .build();
            return ServerMethodDefinition.create(method, new Forwarding());
        }
    }

    private final class Forwarding implements ServerCallHandler<byte[], byte[]> {
        @Override
        public ServerCall.Listener<byte[]> startCall(
                ServerCall<byte[], byte[]> call, Metadata headers) {
            var name = call.getMethodDescriptor().getFullMethodName();
            calls.computeIfAbsent(name, key -> new AtomicInteger()).incrementAndGet();
            var planned = faults.get(name);
            Fault fault = planned == null ? null : planned.poll();
            pause(name.startsWith(AGREED) ? slowness : Duration.ZERO);
            // as the caller would without a proxy: the member may be back
            member.resetConnectBackoff();
            call.request(Integer.MAX_VALUE);
            return switch (fault) {
                case Fault.RequestLost lost -> new ServerCall.Listener<>() {};
                case Fault.Refused(Status status) -> {
                    call.close(status, new Metadata());
                    yield new ServerCall.Listener<>() {};
                }
                case Fault.AnswerLost lost ->
                    forward(call, headers, new ClientCall.Listener<>() {});
                case Fault.Misreported(Status status) ->
                    forward(call, headers, new ClientCall.Listener<>() {
                        @Override
                        public void onClose(Status real, Metadata trailers) {
                            call.close(status, new Metadata());
                        }
                    });
                case Fault.Between(Runnable before, Runnable after) -> {
                    before.run();
                    var answers = new Answering(call, new byte[0]);
                    yield forward(call, headers, answers, request -> {}, after);
                }
                case Fault.BrokenAfter(Runnable then) ->
                    forward(call, headers, new ClientCall.Listener<>() {
                        @Override
                        public void onClose(Status real, Metadata trailers) {
                            then.run();
                            call.close(BROKEN, new Metadata());
                        }
                    });
                case null -> {
                    var answers = new Answering(call, name.equals(LIST) ? zombie : new byte[0]);
                    yield forward(call, headers, answers, answers::asked, () -> {});
                }
            };
        }

        private ServerCall.Listener<byte[]> forward(
                ServerCall<byte[], byte[]> call,
                Metadata headers,
                ClientCall.Listener<byte[]> answers) {
            return forward(call, headers, answers, request -> {}, () -> {});
        }

        private ServerCall.Listener<byte[]> forward(
                ServerCall<byte[], byte[]> call,
                Metadata headers,
                ClientCall.Listener<byte[]> answers,
                Consumer<byte[]> requests,
                Runnable sent) {
            ClientCall<byte[], byte[]> onward =
                    member.newCall(call.getMethodDescriptor(), CallOptions.DEFAULT);
            onward.start(answers, headers);
            onward.request(Integer.MAX_VALUE);
            return new Requests(onward, requests, sent);
        }
    }

    private static final class Requests extends ServerCall.Listener<byte[]> {
        private final ClientCall<byte[], byte[]> onward;
        private final Consumer<byte[]> requests;
        private final Runnable sent;

        Requests(ClientCall<byte[], byte[]> onward, Consumer<byte[]> requests, Runnable sent) {
            this.onward = onward;
            this.requests = requests;
            this.sent = sent;
        }

        @Override
        public void onMessage(byte[] message) {
            requests.accept(message);
            onward.sendMessage(message);
        }

        @Override
        public void onHalfClose() {
            onward.halfClose();
            sent.run();
        }

        @Override
        public void onCancel() {
            onward.cancel("the caller has given up", null);
        }
    }

    private static final class Answering extends ClientCall.Listener<byte[]> {
        private final ServerCall<byte[], byte[]> call;
        private final byte[] more;
        private volatile boolean byAgreement = true;

        /** @param more follows the answer, unless all members have to agree to it */
        Answering(ServerCall<byte[], byte[]> call, byte[] more) {
            this.call = call;
            this.more = more;
        }

        /** Who wants a list that all agree about sets the only field there is. */
        void asked(byte[] request) {
            byAgreement = request.length > 0;
        }

        @Override
        public void onHeaders(Metadata headers) {
            call.sendHeaders(headers);
        }

        @Override
        public void onMessage(byte[] message) {
            if (byAgreement) {
                call.sendMessage(message);
            } else {
                var whole = Arrays.copyOf(message, message.length + more.length);
                System.arraycopy(more, 0, whole, message.length, more.length);
                call.sendMessage(whole);
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            call.close(status, trailers);
        }
    }

    /** Messages as they are on the wire. */
    static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        client.exec("bash", "-c", "iptables -t nat -D OUTPUT " + rule);
        server.shutdownNow();
        member.shutdownNow();
        try {
            server.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
