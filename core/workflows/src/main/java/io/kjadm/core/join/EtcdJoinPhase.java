package io.kjadm.core.join;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.Images;
import io.kjadm.core.config.LocalEtcd;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.MemberMarker;
import io.kjadm.core.etcd.check.JoinCheckup.JoiningNode;
import io.kjadm.core.etcd.check.JoinProbes;
import io.kjadm.core.etcd.check.PeerCalls;
import io.kjadm.core.etcd.join.HostMember;
import io.kjadm.core.etcd.join.MemberJoinLoop;
import io.kjadm.core.etcd.join.MembershipLease;
import io.kjadm.core.feature.FeatureGate;
import io.kjadm.core.host.Services;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.node.ControlPlaneNode;
import io.kjadm.core.node.NodeStores;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.join.JoinDecider;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinLimits;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.LegacyVotingMemberAdder;
import io.kjadm.etcd.join.MemberAdder;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.MembershipJournal;
import io.kjadm.etcd.join.NewMember;

import java.util.Optional;
import java.util.UUID;

/**
 * {@code etcd-join}: adds this node's etcd member to the stacked cluster. How far it has come is in
 * a journal on this node, so running it again continues where it stopped, wherever that was.
 *
 * <p>If it fails before the member votes, the learner that this node added is removed from the
 * member list again, its manifest is taken away and its data is set aside; the cluster is then as
 * it was. Once the member votes nothing is rolled back.
 */
record EtcdJoinPhase(
        Machine machine,
        NodeStores stores,
        ClusterClients cluster,
        JoinProbes probes,
        Failpoints failpoints)
        implements Phase<JoinRun> {

    static final PhaseInfo INFO = PhaseInfo.of(
            "etcd-join", "Join this node's etcd member to the cluster", JoinPhaseFlags.ETCD_JOIN);

    static final String AREA = "etcd";

    @Override
    public PhaseInfo info() {
        return INFO;
    }

    @Override
    public JoinRun run(JoinRun run, Reporter out) {
        ControlPlaneNode node = run.node();
        if (!(node.cluster().etcd() instanceof LocalEtcd etcd)) {
            out.step(AREA, "The cluster uses an external etcd: no member is added");
            return run;
        }
        join(
                run,
                etcd,
                cluster.etcd()
                        .toOthers(node.name(), node.paths(), node.timeouts().kubernetesApiCall()),
                out);
        stores.manifests().release(node);
        return run;
    }

    /**
     * Whether members are added as learners: the one reader of gate {@code EtcdLearnerMode}
     * (KEP-3614).
     */
    static boolean addsLearners(ClusterConfiguration cluster) {
        return cluster.featureGates().enabled(FeatureGate.ETCD_LEARNER_MODE);
    }

    /** From where its journal says until it votes, asking these members. */
    void join(JoinRun run, LocalEtcd etcd, EtcdAccess access, Reporter out) {
        ControlPlaneNode node = run.node();
        MembershipJournal journal = new JournalFile(
                machine.files(), node.paths().tmpDir(), failpoints.fuse(machine.waiter()));
        MemberAdder adder = addsLearners(node.cluster())
                ? new LearnerMemberAdder()
                : new LegacyVotingMemberAdder();
        NewMember wanted =
                new NewMember(node.name(), EtcdUrls.peer(node.endpoint().address()));
        JoinLimits limits = run.options().limits().withFault(node.timeouts().etcdApiCall());
        JoinDecider decider = new JoinDecider(
                wanted, UUID.randomUUID().toString(), adder, run.options().rejoin(), limits);
        MembershipLock lock = cluster.locks()
                .of(() -> cluster.kube().of(node.paths().adminConf()), node.name(), out);
        // one change at a time, from before the add until the vote was read back, or everything was
        // rolled back
        try (MembershipLease turn = new MembershipLease(lock);
                EtcdCluster members = cluster.etcd().connect(access)) {
            MemberJoinExecutor executor = new MemberJoinExecutor(
                    wanted,
                    adder,
                    decider,
                    members,
                    journal,
                    local(run, etcd, adder.addsLearners(), out),
                    machine.waiter()::now);
            Optional<Member> voter = new MemberJoinLoop(
                            executor,
                            wanted.peerUrl(),
                            limits,
                            turn,
                            () -> journal.read().flatMap(JoinEntry::memberId),
                            machine.waiter(),
                            out)
                    .join();
            voter.ifPresent(_ -> MemberMarker.adopt(
                    machine.files(), etcd.dataDir(), machine.waiter().now()));
            voter.ifPresent(
                    member -> out.step(AREA, "etcd member %s votes".formatted(member.describe())));
        }
    }

    private HostMember local(JoinRun run, LocalEtcd etcd, boolean learner, Reporter out) {
        ControlPlaneNode node = run.node();
        Services services = machine.services();
        NodeReadiness readiness = new NodeReadiness(
                stores.kubeletFiles().effective(run.kubeletInput(services)),
                Images.of(node.cluster()).etcd(),
                node.registration(),
                machine.health(),
                services,
                machine.runtimes());
        return new HostMember(
                machine,
                new JoiningNode(
                        node.paths().certificatesDir(), node.endpoint().address(), etcd.dataDir()),
                new MemberPod(node, etcd, machine, stores.manifests(), readiness, learner, out),
                new PeerCalls(probes.peers(), machine.files(), machine.observer()),
                out);
    }
}
