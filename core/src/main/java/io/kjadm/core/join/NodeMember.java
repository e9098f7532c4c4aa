package io.kjadm.core.join;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.cri.ContainerRuntime;
import io.kjadm.core.cri.ContainerRuntime.Container;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.InitialCluster;
import io.kjadm.core.etcd.KeptData;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.node.StaticPodShutdown;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.join.FatalLine;
import io.kjadm.etcd.join.LifeSigns;
import io.kjadm.etcd.join.LocalMember;
import io.kjadm.etcd.join.LocalTrace;
import io.kjadm.manifests.EtcdPod;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** This node's side of its etcd member: the manifest, the container the kubelet makes of it, and its data. */
final class NodeMember implements LocalMember {

    /** The container runtime need not be asked at every look. */
    private static final Duration CONTAINER_INTERVAL = Duration.ofSeconds(2);
    /** The reason is among the last words. */
    private static final int LAST_LINES = 40;

    private final ControlPlaneNode node;
    private final LocalEtcd etcd;
    private final Tools tools;
    private Instant containerAsked = Instant.MIN;
    private Optional<FatalLine> fatal = Optional.empty();

    /**
     * What it works with.
     *
     * @param stalled helps a learner over etcd's start race; empty for a member added as a voter
     */
    record Tools(HostFiles files, ManifestStore manifests, RuntimeConnector runtimes, StaticPodShutdown shutdown,
            StalledStart stalled, boolean learner, Waiter waiter) {}

    NodeMember(ControlPlaneNode node, LocalEtcd etcd, Tools tools) {
        this.node = node;
        this.etcd = etcd;
        this.tools = tools;
    }

    private Path manifest() {
        return node.paths().manifest(EtcdPod.NAME);
    }

    @Override
    public LocalTrace trace() {
        return tools.files().exists(etcd.dataDir().resolve("member")) ? LocalTrace.SOME_DATA : LocalTrace.NONE;
    }

    @Override
    public LifeSigns lifeSigns() {
        if (!tools.files().exists(manifest())) {
            return LifeSigns.NONE;
        }
        tools.stalled().observe();
        boolean alive = tools.stalled().showsLife();
        return new LifeSigns(alive, tools.files().treeBytes(etcd.dataDir()), alive ? Optional.empty() : lastWords());
    }

    private Optional<FatalLine> lastWords() {
        Instant now = tools.waiter().now();
        if (containerAsked.plus(CONTAINER_INTERVAL).isAfter(now)) {
            return fatal;
        }
        containerAsked = now;
        try {
            ContainerRuntime runtime = tools.runtimes().connect(node.registration().criSocket());
            Optional<Container> last = runtime.containers().stream()
                    .filter(container -> container.name().equals(EtcdPod.NAME) && "kube-system".equals(
                            container.labels().get("io.kubernetes.pod.namespace")))
                    .max(Comparator.comparing(Container::createdAt));
            fatal = last.filter(container -> !container.running())
                    .flatMap(container -> runtime.exitOf(container.id()))
                    .filter(exit -> !exit.logPath().isEmpty())
                    .flatMap(exit -> tools.files().read(Path.of(exit.logPath())))
                    .flatMap(NodeMember::fatalIn);
        } catch (HostException e) {
            // the cluster and the process itself tell enough
            fatal = Optional.empty();
        }
        return fatal;
    }

    private static Optional<FatalLine> fatalIn(String log) {
        List<String> lines = log.lines().toList();
        return FatalLine.in(lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    }

    @Override
    public void writeManifest(List<Member> members, Member own) {
        tools.manifests().writeEtcd(node, etcd, Optional.of(InitialCluster.of(members, own, node.name())));
    }

    @Override
    public String takeAway() {
        tools.files().delete(manifest());
        tools.shutdown().awaitKubelet(node.registration().criSocket(), List.of(EtcdPod.NAME));
        return new KeptData(tools.files(), etcd.dataDir()).setAside("failed", tools.waiter().now());
    }

    @Override
    public void help() {
        if (tools.learner()) {
            tools.stalled().help();
        }
    }
}
