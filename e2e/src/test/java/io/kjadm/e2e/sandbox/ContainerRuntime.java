package io.kjadm.e2e.sandbox;

import io.grpc.netty.NettyChannelBuilder;
import io.kjadm.e2e.sandbox.cri.v1.Container;
import io.kjadm.e2e.sandbox.cri.v1.ContainerConfig;
import io.kjadm.e2e.sandbox.cri.v1.ContainerFilter;
import io.kjadm.e2e.sandbox.cri.v1.ContainerStatusRequest;
import io.kjadm.e2e.sandbox.cri.v1.CreateContainerRequest;
import io.kjadm.e2e.sandbox.cri.v1.ListContainersRequest;
import io.kjadm.e2e.sandbox.cri.v1.ListPodSandboxRequest;
import io.kjadm.e2e.sandbox.cri.v1.PodSandbox;
import io.kjadm.e2e.sandbox.cri.v1.PodSandboxConfig;
import io.kjadm.e2e.sandbox.cri.v1.PodSandboxFilter;
import io.kjadm.e2e.sandbox.cri.v1.RemoveContainerRequest;
import io.kjadm.e2e.sandbox.cri.v1.RemovePodSandboxRequest;
import io.kjadm.e2e.sandbox.cri.v1.RunPodSandboxRequest;
import io.kjadm.e2e.sandbox.cri.v1.RuntimeServiceGrpc;
import io.kjadm.e2e.sandbox.cri.v1.RuntimeServiceGrpc.RuntimeServiceBlockingStub;
import io.kjadm.e2e.sandbox.cri.v1.StartContainerRequest;
import io.kjadm.e2e.sandbox.cri.v1.StopContainerRequest;
import io.kjadm.e2e.sandbox.cri.v1.StopPodSandboxRequest;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;

import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The container runtime of a node, as a kubelet uses it. What the runtime refuses or does not
 * answer is a {@link io.grpc.StatusRuntimeException}.
 */
final class ContainerRuntime {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final RuntimeServiceBlockingStub service;

    /** Connects with the first call. */
    ContainerRuntime(Path socket) {
        service = RuntimeServiceGrpc.newBlockingStub(NettyChannelBuilder.forAddress(
                        UnixDomainSocketAddress.of(socket))
                .eventLoopGroup(new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()))
                .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
                .overrideAuthority("localhost")
                .usePlaintext()
                // set by gRPC on every socket; those with a path do not know it
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .build());
    }

    /** Those with all of these labels, running or not. */
    List<PodSandbox> sandboxes(Map<String, String> labels) {
        return calls().listPodSandbox(ListPodSandboxRequest.newBuilder()
                        .setFilter(PodSandboxFilter.newBuilder().putAllLabelSelector(labels))
                        .build())
                .getItemsList();
    }

    /** Those with all of these labels, running or not. */
    List<Container> containers(Map<String, String> labels) {
        return calls().listContainers(ListContainersRequest.newBuilder()
                        .setFilter(ContainerFilter.newBuilder().putAllLabelSelector(labels))
                        .build())
                .getContainersList();
    }

    /** When a container ended. */
    Instant finishedAt(String container) {
        var status = calls().containerStatus(ContainerStatusRequest.newBuilder()
                        .setContainerId(container)
                        .build())
                .getStatus();
        return Instant.ofEpochSecond(0, status.getFinishedAt());
    }

    /** Makes a pod without containers; its id. */
    String runSandbox(PodSandboxConfig config) {
        return calls().runPodSandbox(
                        RunPodSandboxRequest.newBuilder().setConfig(config).build())
                .getPodSandboxId();
    }

    void startContainer(String sandbox, PodSandboxConfig pod, ContainerConfig config) {
        var id = calls().createContainer(CreateContainerRequest.newBuilder()
                        .setPodSandboxId(sandbox)
                        .setSandboxConfig(pod)
                        .setConfig(config)
                        .build())
                .getContainerId();
        var _ = calls().startContainer(
                        StartContainerRequest.newBuilder().setContainerId(id).build());
    }

    /** Asks it to end, and kills it after the grace period. */
    void stopContainer(String id, Duration grace) {
        var _ = calls().stopContainer(StopContainerRequest.newBuilder()
                .setContainerId(id)
                .setTimeout(grace.toSeconds())
                .build());
    }

    /** One that does not run. */
    void removeContainer(String id) {
        var _ = calls().removeContainer(
                        RemoveContainerRequest.newBuilder().setContainerId(id).build());
    }

    /** With what is left in it. */
    void removeSandbox(String id) {
        var _ = calls().stopPodSandbox(
                        StopPodSandboxRequest.newBuilder().setPodSandboxId(id).build());
        var _ = calls().removePodSandbox(
                        RemovePodSandboxRequest.newBuilder().setPodSandboxId(id).build());
    }

    private RuntimeServiceBlockingStub calls() {
        return service.withDeadlineAfter(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }
}
