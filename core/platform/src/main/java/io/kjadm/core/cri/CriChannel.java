package io.kjadm.core.cri;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A gRPC channel over a unix socket; it needs no native library, as the JDK knows such sockets. */
record CriChannel(ManagedChannel channel, EventLoopGroup loop) implements AutoCloseable {

    /** The kubelet accepts answers of this size too; lists of many containers are long. */
    private static final int LARGEST_ANSWER = 16 * 1024 * 1024;

    /**
     * gRPC tells java.util.logging that there is no native transport; held, as loggers are
     * collected.
     */
    private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

    static CriChannel to(Path socket) {
        GRPC_LOG.setLevel(Level.WARNING);
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("cri", true), NioIoHandler.newFactory());
        ManagedChannel channel = NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .eventLoopGroup(loop)
                .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
                // the path is no host name; servers look only for a well-formed one
                .overrideAuthority("localhost")
                .usePlaintext()
                // set by gRPC on every socket; those with a path do not know it, and netty warns
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .maxInboundMessageSize(LARGEST_ANSWER)
                .build();
        return new CriChannel(channel, loop);
    }

    @Override
    public void close() {
        channel.shutdownNow();
        var _ = loop.shutdownGracefully();
    }
}
