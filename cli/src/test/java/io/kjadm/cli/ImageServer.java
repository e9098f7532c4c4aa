package io.kjadm.cli;

import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.kjadm.core.cri.v1.ImageServiceGrpc;
import io.kjadm.core.cri.v1.PullImageRequest;
import io.kjadm.core.cri.v1.PullImageResponse;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The part of a container runtime that pulls images, on a unix socket. */
public final class ImageServer implements AutoCloseable {

    private final EventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<String> pulls = new CopyOnWriteArrayList<>();
    private final Server server;

    /**
     * Listens.
     *
     * @param broken part of the names of images that cannot be pulled
     */
    public ImageServer(Path socket, String broken) throws IOException {
        server = NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .channelType(NioServerDomainSocketChannel.class)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)
                .addService(new ImageServiceGrpc.ImageServiceImplBase() {
                    @Override
                    public void pullImage(
                            PullImageRequest request, StreamObserver<PullImageResponse> answer) {
                        String image = request.getImage().getImage();
                        pulls.add(image);
                        if (image.contains(broken)) {
                            answer.onError(Status.NOT_FOUND
                                    .withDescription("no such image")
                                    .asRuntimeException());
                            return;
                        }
                        answer.onNext(PullImageResponse.newBuilder()
                                .setImageRef(image)
                                .build());
                        answer.onCompleted();
                    }
                })
                .build()
                .start();
    }

    /** What was asked for, in order. */
    public List<String> pulls() {
        return List.copyOf(pulls);
    }

    @Override
    public void close() {
        server.shutdownNow();
        var _ = loop.shutdownGracefully();
    }
}
