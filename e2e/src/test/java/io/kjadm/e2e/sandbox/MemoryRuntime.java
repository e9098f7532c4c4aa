package io.kjadm.e2e.sandbox;

import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.kjadm.e2e.sandbox.cri.v1.Container;
import io.kjadm.e2e.sandbox.cri.v1.ContainerState;
import io.kjadm.e2e.sandbox.cri.v1.CreateContainerRequest;
import io.kjadm.e2e.sandbox.cri.v1.CreateContainerResponse;
import io.kjadm.e2e.sandbox.cri.v1.ListContainersRequest;
import io.kjadm.e2e.sandbox.cri.v1.ListContainersResponse;
import io.kjadm.e2e.sandbox.cri.v1.ListPodSandboxRequest;
import io.kjadm.e2e.sandbox.cri.v1.ListPodSandboxResponse;
import io.kjadm.e2e.sandbox.cri.v1.PodSandbox;
import io.kjadm.e2e.sandbox.cri.v1.RemovePodSandboxRequest;
import io.kjadm.e2e.sandbox.cri.v1.RemovePodSandboxResponse;
import io.kjadm.e2e.sandbox.cri.v1.RunPodSandboxRequest;
import io.kjadm.e2e.sandbox.cri.v1.RunPodSandboxResponse;
import io.kjadm.e2e.sandbox.cri.v1.RuntimeServiceGrpc.RuntimeServiceImplBase;
import io.kjadm.e2e.sandbox.cri.v1.StartContainerRequest;
import io.kjadm.e2e.sandbox.cri.v1.StartContainerResponse;
import io.kjadm.e2e.sandbox.cri.v1.StopContainerRequest;
import io.kjadm.e2e.sandbox.cri.v1.StopContainerResponse;
import io.kjadm.e2e.sandbox.cri.v1.StopPodSandboxRequest;
import io.kjadm.e2e.sandbox.cri.v1.StopPodSandboxResponse;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A container runtime in memory: what is asked to run does, at once. */
final class MemoryRuntime extends RuntimeServiceImplBase {
    private final Map<String, PodSandbox> sandboxes = new ConcurrentHashMap<>();
    private final Map<String, Container> containers = new ConcurrentHashMap<>();

    static void start(Path socket) throws IOException {
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioServerDomainSocketChannel.class)
                .bossEventLoopGroup(new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()))
                .workerEventLoopGroup(new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()))
                .addService(new MemoryRuntime())
                .build()
                .start();
    }

    private static <T> void reply(StreamObserver<T> to, T answer) {
        to.onNext(answer);
        to.onCompleted();
    }

    @Override
    public void runPodSandbox(
            RunPodSandboxRequest request, StreamObserver<RunPodSandboxResponse> to) {
        var id = "sandbox-" + sandboxes.size();
        sandboxes.put(
                id,
                PodSandbox.newBuilder()
                        .setId(id)
                        .setMetadata(request.getConfig().getMetadata())
                        .putAllLabels(request.getConfig().getLabelsMap())
                        .build());
        reply(to, RunPodSandboxResponse.newBuilder().setPodSandboxId(id).build());
    }

    @Override
    public void listPodSandbox(
            ListPodSandboxRequest request, StreamObserver<ListPodSandboxResponse> to) {
        var wanted = request.getFilter().getLabelSelectorMap().entrySet();
        reply(
                to,
                ListPodSandboxResponse.newBuilder()
                        .addAllItems(sandboxes.values().stream()
                                .filter(one -> one.getLabelsMap().entrySet().containsAll(wanted))
                                .toList())
                        .build());
    }

    @Override
    public void stopPodSandbox(
            StopPodSandboxRequest request, StreamObserver<StopPodSandboxResponse> to) {
        reply(to, StopPodSandboxResponse.getDefaultInstance());
    }

    @Override
    public void removePodSandbox(
            RemovePodSandboxRequest request, StreamObserver<RemovePodSandboxResponse> to) {
        sandboxes.remove(request.getPodSandboxId());
        containers
                .values()
                .removeIf(one -> one.getPodSandboxId().equals(request.getPodSandboxId()));
        reply(to, RemovePodSandboxResponse.getDefaultInstance());
    }

    @Override
    public void createContainer(
            CreateContainerRequest request, StreamObserver<CreateContainerResponse> to) {
        var id = "container-" + containers.size();
        containers.put(
                id,
                Container.newBuilder()
                        .setId(id)
                        .setPodSandboxId(request.getPodSandboxId())
                        .setMetadata(request.getConfig().getMetadata())
                        .putAllLabels(request.getConfig().getLabelsMap())
                        .build());
        reply(to, CreateContainerResponse.newBuilder().setContainerId(id).build());
    }

    @Override
    public void startContainer(
            StartContainerRequest request, StreamObserver<StartContainerResponse> to) {
        set(request.getContainerId(), ContainerState.CONTAINER_RUNNING);
        reply(to, StartContainerResponse.getDefaultInstance());
    }

    @Override
    public void stopContainer(
            StopContainerRequest request, StreamObserver<StopContainerResponse> to) {
        set(request.getContainerId(), ContainerState.CONTAINER_EXITED);
        reply(to, StopContainerResponse.getDefaultInstance());
    }

    private void set(String id, ContainerState state) {
        containers.computeIfPresent(
                id, (_, one) -> one.toBuilder().setState(state).build());
    }

    @Override
    public void listContainers(
            ListContainersRequest request, StreamObserver<ListContainersResponse> to) {
        var wanted = request.getFilter().getLabelSelectorMap().entrySet();
        reply(
                to,
                ListContainersResponse.newBuilder()
                        .addAllContainers(containers.values().stream()
                                .filter(one -> one.getLabelsMap().entrySet().containsAll(wanted))
                                .toList())
                        .build());
    }
}
