package io.kjadm.core.join;

import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.etcd.AddedFlags;
import io.kjadm.core.etcd.EtcdMetricsUrl;
import io.kjadm.core.etcd.EtcdPods;
import io.kjadm.core.etcd.StaticPodWatch;
import io.kjadm.core.etcd.join.HostMember;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.staticpod.StaticPodShutdown;
import io.kjadm.core.staticpod.StaticPodText;
import io.kjadm.core.staticpod.StaticPods;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.PatchTarget;

import java.net.Inet6Address;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The static pod of a member that joins: its manifest, the container that the kubelet makes of it,
 * and why that does not come up.
 */
public final class MemberPod implements HostMember.Runtime {

    private static final Duration GRACE = Duration.ofSeconds(5);

    private final ControlPlaneNode node;
    private final LocalEtcd etcd;
    private final Machine machine;
    private final ManifestStore manifests;
    private final NodeReadiness readiness;
    private final boolean learner;
    private final StaticPodWatch watch;
    private final StaticPodShutdown shutdown;

    /** @param learner whether the member is added as a learner */
    MemberPod(
            ControlPlaneNode node,
            LocalEtcd etcd,
            Machine machine,
            ManifestStore manifests,
            NodeReadiness readiness,
            boolean learner,
            Reporter out) {
        this.node = node;
        this.etcd = etcd;
        this.machine = machine;
        this.manifests = manifests;
        this.readiness = readiness;
        this.learner = learner;
        this.watch = new StaticPodWatch(EtcdPod.NAME, machine, criSocket(), manifest());
        this.shutdown = new StaticPodShutdown(EtcdJoinPhase.AREA, machine, out);
    }

    private Path manifest() {
        return node.paths().manifest(EtcdPod.NAME);
    }

    private String criSocket() {
        return node.registration().criSocket();
    }

    @Override
    public URI metrics() {
        return EtcdMetricsUrl.of(
                etcd.extraArg("listen-metrics-urls"),
                node.endpoint().address() instanceof Inet6Address);
    }

    @Override
    public boolean configured() {
        return machine.files().exists(manifest());
    }

    @Override
    public Optional<StartProblem> startProblem() {
        return startsAlone().or(readiness::startProblem);
    }

    /** By what the cluster's configuration, or a patch of this node, adds. */
    private Optional<StartProblem> startsAlone() {
        return StaticPodText.parse(manifests.foreseen(node, PatchTarget.ETCD, Optional.empty()))
                .map(pod -> AddedFlags.of(manifest(), etcd.dataDir(), pod::flagOrSwitch))
                .flatMap(AddedFlags::joinProblem)
                .map(problem -> new StartProblem(problem, false));
    }

    @Override
    public void start(List<Member> members, Member own) {
        watch.starts();
        manifests.writeEtcd(
                node, etcd, Optional.of(EtcdPods.initialCluster(members, own, node.name())));
    }

    @Override
    public Optional<StartProblem> cause() {
        return watch.cause();
    }

    @Override
    public boolean restartable() {
        return learner;
    }

    /** The kubelet starts again what has ended. */
    @Override
    public List<String> restart() {
        List<String> running =
                new StaticPods(machine.runtimes().connect(criSocket())).stop(EtcdPod.NAME, GRACE);
        watch.asked(running);
        return running;
    }

    @Override
    public void remove() {
        machine.files().delete(manifest());
        shutdown.forget(criSocket(), List.of(EtcdPod.NAME));
    }
}
