package io.kjadm.core.cri;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.kjadm.core.cri.v1.CgroupDriver;
import io.kjadm.core.cri.v1.Container;
import io.kjadm.core.cri.v1.ContainerMetadata;
import io.kjadm.core.cri.v1.ContainerState;
import io.kjadm.core.cri.v1.ContainerStatus;
import io.kjadm.core.cri.v1.ContainerStatusRequest;
import io.kjadm.core.cri.v1.ContainerStatusResponse;
import io.kjadm.core.cri.v1.Image;
import io.kjadm.core.cri.v1.ImageServiceGrpc;
import io.kjadm.core.cri.v1.ImageStatusRequest;
import io.kjadm.core.cri.v1.ImageStatusResponse;
import io.kjadm.core.cri.v1.LinuxRuntimeConfiguration;
import io.kjadm.core.cri.v1.ListContainersRequest;
import io.kjadm.core.cri.v1.ListContainersResponse;
import io.kjadm.core.cri.v1.ListPodSandboxRequest;
import io.kjadm.core.cri.v1.ListPodSandboxResponse;
import io.kjadm.core.cri.v1.PodSandbox;
import io.kjadm.core.cri.v1.PullImageRequest;
import io.kjadm.core.cri.v1.PullImageResponse;
import io.kjadm.core.cri.v1.RemovePodSandboxRequest;
import io.kjadm.core.cri.v1.RemovePodSandboxResponse;
import io.kjadm.core.cri.v1.RuntimeCondition;
import io.kjadm.core.cri.v1.RuntimeConfigRequest;
import io.kjadm.core.cri.v1.RuntimeConfigResponse;
import io.kjadm.core.cri.v1.RuntimeServiceGrpc;
import io.kjadm.core.cri.v1.RuntimeStatus;
import io.kjadm.core.cri.v1.StatusRequest;
import io.kjadm.core.cri.v1.StatusResponse;
import io.kjadm.core.cri.v1.StopPodSandboxRequest;
import io.kjadm.core.cri.v1.StopPodSandboxResponse;
import io.kjadm.core.cri.v1.VersionRequest;
import io.kjadm.core.cri.v1.VersionResponse;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A small container runtime that serves the CRI on a unix socket, in this process. */
public final class CriServer implements AutoCloseable {

    private final EventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Server server;
    private final List<String> sandboxes = new ArrayList<>(List.of("s1", "s2"));
    /** Of the last pull. */
    volatile Optional<Deadline> pullDeadline = Optional.empty();

    private final List<String> images = new ArrayList<>(List.of("registry.k8s.io/pause:3.10.2"));
    private final boolean old;

    /** An old one does not know its cgroup driver and is not ready. */
    public CriServer(Path socket, boolean old) throws IOException {
        this.old = old;
        this.server = NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .channelType(NioServerDomainSocketChannel.class)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)
                .addService(new Pods())
                .addService(new Images())
                .build()
                .start();
    }

    @Override
    public void close() {
        server.shutdownNow();
        var _ = loop.shutdownGracefully();
    }

    private static <T> void answer(StreamObserver<T> observer, T answer) {
        observer.onNext(answer);
        observer.onCompleted();
    }

    private final class Pods extends RuntimeServiceGrpc.RuntimeServiceImplBase {

        @Override
        public void version(VersionRequest request, StreamObserver<VersionResponse> observer) {
            answer(
                    observer,
                    VersionResponse.newBuilder()
                            .setRuntimeName("small")
                            .setRuntimeVersion("1.2.3")
                            .setRuntimeApiVersion("v1")
                            .build());
        }

        @Override
        public void status(StatusRequest request, StreamObserver<StatusResponse> observer) {
            StatusResponse.Builder status = StatusResponse.newBuilder()
                    .setStatus(RuntimeStatus.newBuilder()
                            .addConditions(RuntimeCondition.newBuilder()
                                    .setType("NetworkReady")
                                    .setStatus(false))
                            .addConditions(RuntimeCondition.newBuilder()
                                    .setType("RuntimeReady")
                                    .setStatus(!old)
                                    .setReason(old ? "Starting" : "")
                                    .setMessage(old ? "wait" : "")));
            if (request.getVerbose()) {
                status.putInfo(
                        "config", "{\"a\": {}, \"sandboxImage\": \"registry.k8s.io/pause:3.9\"}");
            }
            answer(observer, status.build());
        }

        @Override
        public void runtimeConfig(
                RuntimeConfigRequest request, StreamObserver<RuntimeConfigResponse> observer) {
            if (old) {
                super.runtimeConfig(request, observer);
                return;
            }
            answer(
                    observer,
                    RuntimeConfigResponse.newBuilder()
                            .setLinux(LinuxRuntimeConfiguration.newBuilder()
                                    .setCgroupDriver(CgroupDriver.CGROUPFS))
                            .build());
        }

        @Override
        public void listPodSandbox(
                ListPodSandboxRequest request, StreamObserver<ListPodSandboxResponse> observer) {
            ListPodSandboxResponse.Builder list = ListPodSandboxResponse.newBuilder();
            sandboxes.forEach(id -> list.addItems(PodSandbox.newBuilder().setId(id)));
            answer(observer, list.build());
        }

        @Override
        public void stopPodSandbox(
                StopPodSandboxRequest request, StreamObserver<StopPodSandboxResponse> observer) {
            if (!sandboxes.contains(request.getPodSandboxId())) {
                observer.onError(
                        Status.NOT_FOUND.withDescription("no such sandbox").asRuntimeException());
                return;
            }
            answer(observer, StopPodSandboxResponse.getDefaultInstance());
        }

        @Override
        public void removePodSandbox(
                RemovePodSandboxRequest request,
                StreamObserver<RemovePodSandboxResponse> observer) {
            sandboxes.remove(request.getPodSandboxId());
            answer(observer, RemovePodSandboxResponse.getDefaultInstance());
        }

        @Override
        public void listContainers(
                ListContainersRequest request, StreamObserver<ListContainersResponse> observer) {
            answer(
                    observer,
                    ListContainersResponse.newBuilder()
                            .addContainers(Container.newBuilder()
                                    .setId("c1")
                                    .setPodSandboxId("s1")
                                    .setCreatedAt(1_500_000_000L)
                                    .setMetadata(ContainerMetadata.newBuilder()
                                            .setName("etcd")
                                            .setAttempt(2))
                                    .setState(ContainerState.CONTAINER_EXITED)
                                    .putLabels("io.kubernetes.pod.name", "etcd-node1"))
                            .build());
        }

        @Override
        public void containerStatus(
                ContainerStatusRequest request, StreamObserver<ContainerStatusResponse> observer) {
            if (!request.getContainerId().equals("c1")) {
                observer.onError(Status.NOT_FOUND.asRuntimeException());
                return;
            }
            answer(
                    observer,
                    ContainerStatusResponse.newBuilder()
                            .setStatus(ContainerStatus.newBuilder()
                                    .setId("c1")
                                    .setFinishedAt(2_000_000_000L)
                                    .setExitCode(1)
                                    .setReason("Error")
                                    .setLogPath("/var/log/pods/x/etcd/2.log"))
                            .build());
        }
    }

    private final class Images extends ImageServiceGrpc.ImageServiceImplBase {

        @Override
        public void imageStatus(
                ImageStatusRequest request, StreamObserver<ImageStatusResponse> observer) {
            ImageStatusResponse.Builder status = ImageStatusResponse.newBuilder();
            if (images.contains(request.getImage().getImage())) {
                status.setImage(Image.newBuilder().setId("sha256:1"));
            }
            answer(observer, status.build());
        }

        @Override
        public void pullImage(
                PullImageRequest request, StreamObserver<PullImageResponse> observer) {
            String image = request.getImage().getImage();
            pullDeadline = Optional.ofNullable(Context.current().getDeadline());
            if (image.contains("missing")) {
                observer.onError(
                        Status.UNKNOWN.withDescription("manifest unknown").asRuntimeException());
                return;
            }
            images.add(image);
            answer(
                    observer,
                    PullImageResponse.newBuilder().setImageRef("sha256:2").build());
        }
    }
}
