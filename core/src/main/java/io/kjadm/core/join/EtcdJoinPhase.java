package io.kjadm.core.join;

import io.kjadm.core.config.Images;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.etcd.EtcdContainerWatch;
import io.kjadm.core.etcd.EtcdFinder;
import io.kjadm.core.etcd.Failpoints;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.MemberAdders;
import io.kjadm.core.cri.RuntimeConnector;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Services;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.lock.LeaseLocks;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.HealthProbe;
import io.kjadm.core.node.KubeletFileStore;
import io.kjadm.core.node.ManifestStore;
import io.kjadm.core.node.StaticPodShutdown;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.join.JoinDecider;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.Joiner;
import io.kjadm.etcd.join.MemberAdder;
import io.kjadm.etcd.join.MembershipJournal;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.manifests.EtcdPod;
import java.net.Inet6Address;
import java.net.URI;
import java.util.Optional;
import java.util.UUID;

/**
 * {@code etcd-join}: adds this node's etcd member to the stacked cluster. How far it has come is in a journal on
 * this node, so running it again continues where it stopped, wherever that was.
 *
 * <p>If it fails before the member votes, the learner that this node added is removed from the member list again,
 * its manifest is taken away and its data is set aside; the cluster is then as it was. Once the member votes
 * nothing is taken back.
 */
final class EtcdJoinPhase implements Phase<JoinRun> {

    private static final String AREA = "etcd";

    private final KubeClients clients;
    private final EtcdFinder finder;
    private final EtcdConnector connector;
    private final MemberAdders adders;
    private final ManifestStore manifests;
    private final KubeletFileStore kubeletFiles;
    private final HostFiles files;
    private final HealthProbe probe;
    private final Services services;
    private final RuntimeConnector runtimes;
    private final Waiter waiter;
    private final LeaseLocks locks;
    private final Failpoints failpoints;

    EtcdJoinPhase(KubeClients clients, EtcdFinder finder, EtcdConnector connector,
            MemberAdders adders, ManifestStore manifests, KubeletFileStore kubeletFiles, HostFiles files, HealthProbe probe,
            Services services, RuntimeConnector runtimes, Waiter waiter, LeaseLocks locks,
            Failpoints failpoints) {
        this.clients = clients;
        this.finder = finder;
        this.connector = connector;
        this.adders = adders;
        this.manifests = manifests;
        this.kubeletFiles = kubeletFiles;
        this.files = files;
        this.probe = probe;
        this.services = services;
        this.runtimes = runtimes;
        this.waiter = waiter;
        this.locks = locks;
        this.failpoints = failpoints;
    }

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of("etcd-join", "Join this node's etcd member to the cluster", JoinFlagNames.ETCD_JOIN);
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        ControlPlaneNode node = run.node();
        if (!(node.cluster().etcd() instanceof LocalEtcd etcd)) {
            out.step(AREA, "The cluster uses an external etcd: no member is added");
            return run;
        }
        EtcdAccess access = finder.find(clients.of(node.paths().adminConf()), node.paths(), node.timeouts().kubernetesApiCall());
        MembershipJournal journal = failpoints.in(new JournalFile(files, node.paths().tmpDir()), waiter);
        MemberAdder adder = adders.chosenBy(node.cluster().featureGates());
        NewMember wanted = new NewMember(node.name(), EtcdUrls.peer(node.endpoint().address()));
        JoinLimits limits = run.options().limits().withFault(node.timeouts().etcdApiCall());
        JoinDecider decider = new JoinDecider(wanted, UUID.randomUUID().toString(), adder, run.options().rejoin(), limits);
        MembershipLock lock = locks.of(() -> clients.of(node.paths().adminConf()), node.name(), out);
        // one change at a time, from before the add until the vote was read back, or everything was taken back
        try (Turn turn = new Turn(lock, limits.turn()); EtcdCluster cluster = connector.connect(access)) {
            Joiner joiner = new Joiner(wanted, adder, decider, cluster, journal,
                    local(run, etcd, adder.addsLearners(), out), waiter::now);
            Optional<Member> voter = new MemberJoin(joiner, wanted.peerUrl(), limits, turn,
                    () -> journal.read().flatMap(JoinEntry::memberId), waiter, out).bringIn();
            voter.ifPresent(member -> out.step(AREA, "etcd member %s votes".formatted(member.describe())));
        }
        manifests.release(node);
        return run;
    }

    private NodeMember local(JoinRun run, LocalEtcd etcd, boolean learner, Reporter out) {
        ControlPlaneNode node = run.node();
        var conditions = new StartConditions(kubeletFiles.effective(KubeletInput.of(run, services)),
                Images.of(node.cluster()).etcd(), node.registration(), new StartConditions.Tools(probe, services, runtimes));
        return new NodeMember(node, etcd, new NodeMember.Tools(files, manifests,
                new EtcdContainerWatch(runtimes, node.registration().criSocket(), files,
                        node.paths().manifest(EtcdPod.NAME), services, waiter),
                new StaticPodShutdown(AREA, services, runtimes, waiter, out), stalledStart(node, etcd, out),
                new EtcdReadiness(probe, metrics(node, etcd)), conditions, learner, waiter));
    }

    private StalledStart stalledStart(ControlPlaneNode node, LocalEtcd etcd, Reporter out) {
        return new StalledStart(probe, metrics(node, etcd), runtimes, node.registration().criSocket(), waiter, out);
    }

    private static URI metrics(ControlPlaneNode node, LocalEtcd etcd) {
        return etcd.extraArg("listen-metrics-urls").map(urls -> URI.create(urls.split(",")[0]))
                .orElseGet(() -> EtcdUrls.of("http",
                        node.endpoint().address() instanceof Inet6Address ? "::1" : "127.0.0.1", EtcdPorts.METRICS));
    }
}
