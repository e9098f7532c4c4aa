package io.kjadm.core.standalone;

import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.check.PeerCalls;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.etcd.join.HostMember;
import io.kjadm.core.etcd.join.MemberJoinLoop;
import io.kjadm.core.etcd.join.MembershipLease;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.join.JoinDecider;
import io.kjadm.etcd.join.JoinEntry;
import io.kjadm.etcd.join.JoinPlace;
import io.kjadm.etcd.join.LearnerMemberAdder;
import io.kjadm.etcd.join.MemberAdder;
import io.kjadm.etcd.join.MemberJoinExecutor;
import io.kjadm.etcd.join.MembershipJournal;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.StandaloneEtcd.InitialCluster;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * {@code membership}: adds this machine's member as a learner, starts it, and makes it a voter. How
 * far it has come is in a journal on this machine, so running it again continues where it stopped.
 *
 * <p>If it fails before the member votes, the learner is removed again, its service is taken away
 * and its data is set aside; the cluster is then as it was. Once the member votes nothing is rolled
 * back. Where its data are on this machine already, it is only started.
 */
record MembershipPhase(StandalonePorts ports) implements Phase<EtcdRun> {

    private static final String AREA = "etcd";

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "membership",
                "Add this machine's member as a learner, start it, and make it a voter",
                EtcdPhaseFlags.MEMBERSHIP);
    }

    @Override
    public EtcdRun run(EtcdRun run, Reporter out) {
        ports.etcd(run).remember(run.record());
        JoinTarget target = run.target().orElseThrow();
        if (target.existing()) {
            start(run, out);
            return run;
        }
        Machine host = ports.machine();
        MembershipJournal journal = new JournalFile(
                host.files(), run.paths().stateDir(), ports.failpoints().fuse(host.waiter()));
        MemberAdder adder = new LearnerMemberAdder();
        NewMember wanted = new NewMember(run.settings().name(), run.settings().peerUrl());
        JoinDecider decider = new JoinDecider(
                wanted,
                JoinPlace.OWN_ETCD,
                UUID.randomUUID().toString(),
                adder,
                target.rejoin(),
                target.limits());
        MembershipLock lock = MembershipLock.none();
        try (MembershipLease turn = new MembershipLease(lock);
                EtcdCluster members = ports.connect(run, target.endpoints())) {
            MemberJoinExecutor executor = new MemberJoinExecutor(
                    wanted, adder, decider, members, journal, local(run, out), host.waiter()::now);
            Optional<Member> voter = new MemberJoinLoop(
                            executor,
                            wanted.peerUrl(),
                            target.limits(),
                            turn,
                            () -> journal.read().flatMap(JoinEntry::memberId),
                            host.waiter(),
                            out)
                    .join();
            voter.ifPresent(
                    member -> out.step(AREA, "etcd member %s votes".formatted(member.describe())));
        }
        return run;
    }

    /** etcd reads its members from the data, and the list of its flags only where there are none. */
    private void start(EtcdRun run, Reporter out) {
        MemberSettings settings = run.settings();
        MemberIds ids = new ExistingMember(ports.machine().files(), settings).ids();
        SystemdEtcd etcd = ports.etcd(run);
        if (etcd.configured()) {
            // another list in its settings would restart a voter that serves
            etcd.enable();
            etcd.begin();
        } else {
            etcd.start(
                    settings,
                    new InitialCluster(
                            run.record().token(),
                            true,
                            List.of(new NameAndUrl(settings.name(), settings.peerUrl()))));
        }
        out.step(AREA, "Started etcd with the data of member %s".formatted(ids.memberId()));
    }

    private HostMember local(EtcdRun run, Reporter out) {
        Machine host = ports.machine();
        return new HostMember(
                host,
                run.joiningNode(),
                new MemberService(run, ports.etcd(run)),
                new PeerCalls(ports.seen().probes().peers(), host.files(), host.observer()),
                out);
    }
}
