package io.kjadm.core.cri;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.kjadm.core.cri.v1.ContainerStatus;
import io.kjadm.core.cri.v1.ContainerStatusRequest;
import io.kjadm.core.cri.v1.ImageServiceGrpc;
import io.kjadm.core.cri.v1.ImageServiceGrpc.ImageServiceBlockingStub;
import io.kjadm.core.cri.v1.ImageSpec;
import io.kjadm.core.cri.v1.ImageStatusRequest;
import io.kjadm.core.cri.v1.ListContainersRequest;
import io.kjadm.core.cri.v1.ListPodSandboxRequest;
import io.kjadm.core.cri.v1.PodSandbox;
import io.kjadm.core.cri.v1.PullImageRequest;
import io.kjadm.core.cri.v1.RemovePodSandboxRequest;
import io.kjadm.core.cri.v1.RuntimeCondition;
import io.kjadm.core.cri.v1.RuntimeConfigRequest;
import io.kjadm.core.cri.v1.RuntimeServiceGrpc;
import io.kjadm.core.cri.v1.RuntimeServiceGrpc.RuntimeServiceBlockingStub;
import io.kjadm.core.cri.v1.StatusRequest;
import io.kjadm.core.cri.v1.StopContainerRequest;
import io.kjadm.core.cri.v1.StopPodSandboxRequest;
import io.kjadm.core.cri.v1.VersionRequest;
import io.kjadm.core.cri.v1.VersionResponse;
import io.kjadm.core.error.Causes;
import io.kjadm.core.error.HostException;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A container runtime that serves the CRI on a unix socket. Connects with the first call. */
final class CriRuntime implements ContainerRuntime, AutoCloseable {

    /**
     * Of every call but a pull. kubeadm allows two seconds, which a busy machine
     * passes while it only starts: the limit is for a runtime that hangs.
     */
    private static final Duration CALL_LIMIT = Duration.ofSeconds(10);
    /**
     * A join holds the membership lock while it sees to its image. containerd gives up by itself
     * when nothing came for five minutes; not every runtime does.
     */
    private static final Duration PULL_LIMIT = Duration.ofMinutes(15);
    /** The runtime's own configuration is JSON in a map of text; one of its keys is asked for. */
    private static final Pattern SANDBOX_IMAGE =
            Pattern.compile("\"sandboxImage\"\\s*:\\s*\"([^\"]+)\"");

    private final Path socket;
    private CriChannel connection;

    CriRuntime(Path socket) {
        this.socket = socket;
    }

    @Override
    public String version() {
        VersionResponse answer =
                call("give its version", () -> pods().version(VersionRequest.getDefaultInstance()));
        return answer.getRuntimeName() + " " + answer.getRuntimeVersion();
    }

    @Override
    public State state() {
        return call("give its status", () -> pods().status(StatusRequest.getDefaultInstance()))
                .getStatus()
                .getConditionsList()
                .stream()
                .filter(condition -> condition.getType().equals("RuntimeReady"))
                .findFirst()
                .map(CriRuntime::state)
                .orElse(new State(false, "the runtime does not report whether it is ready"));
    }

    private static State state(RuntimeCondition condition) {
        return new State(
                condition.getStatus(),
                (condition.getReason() + " " + condition.getMessage()).strip());
    }

    @Override
    public Optional<String> sandboxImage() {
        StatusRequest verbose = StatusRequest.newBuilder().setVerbose(true).build();
        String config = call("show its configuration", () -> pods().status(verbose))
                .getInfoOrDefault("config", "");
        Matcher image = SANDBOX_IMAGE.matcher(config);
        return image.find() ? Optional.of(image.group(1)) : Optional.empty();
    }

    @Override
    public Optional<CgroupDriver> cgroupDriver() {
        try {
            var config = pods().runtimeConfig(RuntimeConfigRequest.getDefaultInstance());
            return Optional.of(
                    switch (config.getLinux().getCgroupDriver()) {
                        case CGROUPFS -> CgroupDriver.CGROUPFS;
                        case SYSTEMD, UNRECOGNIZED -> CgroupDriver.SYSTEMD;
                    });
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() == Status.Code.UNIMPLEMENTED) {
                return Optional.empty();
            }
            throw failure("give its cgroup driver", e);
        }
    }

    @Override
    public List<String> sandboxes() {
        return call(
                        "list its pod sandboxes",
                        () -> pods().listPodSandbox(ListPodSandboxRequest.getDefaultInstance()))
                .getItemsList()
                .stream()
                .map(PodSandbox::getId)
                .toList();
    }

    @Override
    public void stopSandbox(String id) {
        var request = StopPodSandboxRequest.newBuilder().setPodSandboxId(id).build();
        unlessGone("stop pod sandbox " + id, () -> pods().stopPodSandbox(request));
    }

    @Override
    public void removeSandbox(String id) {
        var request = RemovePodSandboxRequest.newBuilder().setPodSandboxId(id).build();
        unlessGone("remove pod sandbox " + id, () -> pods().removePodSandbox(request));
    }

    @Override
    public List<Container> containers() {
        return call(
                        "list its containers",
                        () -> pods().listContainers(ListContainersRequest.getDefaultInstance()))
                .getContainersList()
                .stream()
                .map(CriRuntime::container)
                .toList();
    }

    private static Container container(io.kjadm.core.cri.v1.Container container) {
        boolean running = switch (container.getState()) {
            case CONTAINER_RUNNING -> true;
            case CONTAINER_CREATED, CONTAINER_EXITED, CONTAINER_UNKNOWN, UNRECOGNIZED -> false;
        };
        return new Container(
                container.getId(),
                container.getPodSandboxId(),
                container.getMetadata().getName(),
                container.getMetadata().getAttempt(),
                running,
                Instant.ofEpochSecond(0, container.getCreatedAt()),
                container.getLabelsMap());
    }

    @Override
    public Optional<Exit> exitOf(String id) {
        var request = ContainerStatusRequest.newBuilder().setContainerId(id).build();
        return unlessGone(
                        "give the status of container " + id, () -> pods().containerStatus(request))
                .map(answer -> exit(answer.getStatus()));
    }

    private static Exit exit(ContainerStatus status) {
        Optional<Instant> finished = Optional.of(status.getFinishedAt())
                .filter(nanos -> nanos > 0)
                .map(nanos -> Instant.ofEpochSecond(0, nanos));
        return new Exit(
                finished,
                status.getExitCode(),
                status.getReason(),
                status.getMessage(),
                status.getLogPath());
    }

    @Override
    public void stopContainer(String id, Duration grace) {
        var request = StopContainerRequest.newBuilder()
                .setContainerId(id)
                .setTimeout(grace.toSeconds())
                .build();
        // the answer comes only when the container has stopped
        unlessGone(
                "stop container " + id, () -> pods(CALL_LIMIT.plus(grace)).stopContainer(request));
    }

    @Override
    public boolean hasImage(String image) {
        var request = ImageStatusRequest.newBuilder().setImage(spec(image)).build();
        return call(
                        "report whether it has image " + image,
                        () -> images(CALL_LIMIT).imageStatus(request))
                .hasImage();
    }

    @Override
    public void pull(String image) {
        var request = PullImageRequest.newBuilder().setImage(spec(image)).build();
        call("pull image " + image, () -> images(PULL_LIMIT).pullImage(request));
    }

    private static ImageSpec spec(String image) {
        return ImageSpec.newBuilder().setImage(image).build();
    }

    private RuntimeServiceBlockingStub pods() {
        return pods(CALL_LIMIT);
    }

    private RuntimeServiceBlockingStub pods(Duration limit) {
        return RuntimeServiceGrpc.newBlockingStub(connected()).withDeadlineAfter(limit);
    }

    private ImageServiceBlockingStub images(Duration limit) {
        return ImageServiceGrpc.newBlockingStub(connected()).withDeadlineAfter(limit);
    }

    private synchronized io.grpc.Channel connected() {
        if (connection == null) {
            connection = CriChannel.to(socket);
        }
        return connection.channel();
    }

    private <T> T call(String what, Supplier<T> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException e) {
            throw failure(what, e);
        }
    }

    private <T> Optional<T> unlessGone(String what, Supplier<T> call) {
        try {
            return Optional.of(call.get());
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() == Status.Code.NOT_FOUND) {
                return Optional.empty();
            }
            throw failure(what, e);
        }
    }

    private HostException failure(String what, StatusRuntimeException cause) {
        Throwable root = Causes.root(cause);
        String why = root == cause
                ? cause.getStatus().getCode() + ": " + cause.getStatus().getDescription()
                : Causes.words(root);
        return new HostException(
                "the container runtime at unix://%s did not %s".formatted(socket, what),
                why,
                "check that the runtime runs and serves CRI v1 at this socket",
                cause);
    }

    @Override
    public synchronized void close() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    /** A gRPC channel over a unix socket; it needs no native library, as the JDK knows such sockets. */
    private record CriChannel(ManagedChannel channel, EventLoopGroup loop)
            implements AutoCloseable {

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
            ManagedChannel channel = NettyChannelBuilder.forAddress(
                            UnixDomainSocketAddress.of(socket))
                    .eventLoopGroup(loop)
                    .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
                    // the path is no host name; servers look only for a well-formed one
                    .overrideAuthority("localhost")
                    .usePlaintext()
                    // set by gRPC on every socket; those with a path do not know it, and netty
                    // warns
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
}
