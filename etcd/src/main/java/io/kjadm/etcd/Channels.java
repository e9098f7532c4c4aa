package io.kjadm.etcd;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;

import javax.net.ssl.SSLException;

/**
 * One connection per endpoint and no balancing, so that a request meets the member it is meant for.
 * Java sockets and Java TLS only: nothing native has to fit the node.
 */
final class Channels implements AutoCloseable {

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(3);
    private static final Duration END_LIMIT = Duration.ofSeconds(1);

    /**
     * gRPC tells java.util.logging, hence the operator's console, that it has no native transport;
     * held against GC.
     */
    private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

    static {
        if (GRPC_LOG.getLevel() == null) {
            GRPC_LOG.setLevel(Level.WARNING);
        }
    }

    private final EtcdAccess access;
    private final EventLoopGroup loop;
    private final Map<URI, ManagedChannel> channels = new ConcurrentHashMap<>();
    /** Those that failed as well: their last attempt to connect may be under way. */
    private final Set<ManagedChannel> unended = ConcurrentHashMap.newKeySet();

    private final SslContext tls;

    Channels(EtcdAccess access) {
        this.access = access;
        this.tls = access.caPem().isBlank() ? null : tls(access);
        this.loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("etcd", true), NioIoHandler.newFactory());
    }

    ManagedChannel to(URI endpoint) {
        return channels.computeIfAbsent(endpoint, to -> {
            ManagedChannel channel = open(to);
            unended.removeIf(ManagedChannel::isTerminated);
            unended.add(channel);
            return channel;
        });
    }

    /**
     * One call to an endpoint; what gRPC throws is translated here.
     *
     * @param what names the call in a failure
     */
    <T> T call(String what, RpcKind kind, URI endpoint, Function<ManagedChannel, T> rpc) {
        ManagedChannel channel = to(endpoint);
        try {
            return rpc.apply(channel);
        } catch (StatusRuntimeException e) {
            // our own cancelling, when another endpoint was faster, say, says nothing about the
            // connection
            if (GrpcFailures.ofTransport(e) && e.getStatus().getCode() != Status.Code.CANCELLED) {
                discard(endpoint, channel);
            }
            throw GrpcFailures.translate(kind, what + " at " + endpoint, e);
        }
    }

    /**
     * Asks the endpoints in order until one answers.
     *
     * @param goesOn after which failures the next one is asked
     */
    <T> T callFirst(
            String what,
            RpcKind kind,
            Predicate<EtcdCallException> goesOn,
            Function<ManagedChannel, T> rpc) {
        EtcdCallException last = null;
        for (URI endpoint : access.endpoints()) {
            try {
                return call(what, kind, endpoint, rpc);
            } catch (EtcdCallException e) {
                if (!goesOn.test(e) || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                last = e;
            }
        }
        if (last == null) {
            throw new IllegalStateException("no endpoint was given");
        }
        throw last;
    }

    /**
     * Forgets a channel that failed. A failed channel answers every call with its last failure
     * until its back-off, which grows to minutes, is over; a new one tries at once.
     */
    void discard(URI endpoint, ManagedChannel channel) {
        if (channels.remove(endpoint, channel)) {
            channel.shutdown();
        }
    }

    private ManagedChannel open(URI endpoint) {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(
                        EtcdUrls.host(endpoint),
                        endpoint.getPort() == -1 ? EtcdPorts.CLIENT : endpoint.getPort())
                .channelType(NioSocketChannel.class)
                .eventLoopGroup(loop)
                .withOption(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        Math.toIntExact(CONNECT_LIMIT.toMillis()))
                // a node's proxy is for the outside world, and a repeated change is never gRPC's to
                // decide
                .proxyDetector(address -> null)
                .disableServiceConfigLookUp()
                .disableRetry();
        if (!"https".equalsIgnoreCase(endpoint.getScheme())) {
            return builder.usePlaintext().build();
        }
        if (tls == null) {
            throw new EtcdCallException(
                    ErrorClass.FATAL,
                    RpcCode.UNAUTHENTICATED,
                    "the endpoint requires TLS and no CA was given",
                    "connection to " + endpoint,
                    null);
        }
        return builder.sslContext(tls).build();
    }

    private static SslContext tls(EtcdAccess access) {
        try {
            SslContextBuilder builder =
                    // in memory only: PKCS #12 would encrypt the key with 10,000 iterations of
                    // PBKDF2, and decrypt it at once
                    SslContextBuilder.forClient()
                            .keyStoreType("JKS")
                            .trustManager(stream(access.caPem()));
            if (!access.certPem().isBlank()) {
                ClientIdentity own = ClientIdentity.of(access.certPem(), access.keyPem());
                builder.keyManager(own.key(), own.chain());
            }
            return GrpcSslContexts.configure(builder, SslProvider.JDK).build();
        } catch (GeneralSecurityException | SSLException | IllegalArgumentException e) {
            throw new EtcdCallException(
                    ErrorClass.FATAL,
                    RpcCode.UNAUTHENTICATED,
                    "the client certificate, its key or the CA cannot be used: " + e.getMessage(),
                    "connection to " + access.endpoints(),
                    e);
        }
    }

    private static InputStream stream(String pem) {
        return new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        unended.forEach(ManagedChannel::shutdownNow);
        channels.clear();
        // one that still ends would find no thread for it, and say so on the operator's console
        Instant until = Instant.now().plus(END_LIMIT);
        try {
            for (ManagedChannel channel : unended) {
                long left = Math.max(0, Duration.between(Instant.now(), until).toMillis());
                channel.awaitTermination(left, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    @Override
    public String toString() {
        return access.toString();
    }
}
