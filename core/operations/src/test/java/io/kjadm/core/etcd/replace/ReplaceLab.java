package io.kjadm.core.etcd.replace;

import io.kjadm.core.etcd.ReportingEtcdCluster;
import io.kjadm.core.etcd.check.FileDiskProbe;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.core.etcd.commands.OpsLab;
import io.kjadm.core.etcd.upkeep.AlarmDisarm;
import io.kjadm.core.etcd.upkeep.Defragmentation;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.ReportingWaiter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdConnector;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberProbe;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.check.ClusterFacts;
import io.kjadm.etcd.join.NewMember;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** An operator who replaces members, and somebody who starts what was added as soon as it is listed. */
final class ReplaceLab {

    static final NewMember NEW =
            NewMember.elsewhere("new", List.of(SimulatedCluster.peerUrl("new")));

    final OpsLab ops;
    /** Where the power of this machine comes from. */
    PowerCut.Socket socket = new PowerCut.Socket(Integer.MAX_VALUE);

    private boolean starts = true;

    ReplaceLab(int voters) {
        this(SimulatedCluster.ofVoters(voters));
    }

    ReplaceLab(SimulatedCluster etcd) {
        ops = new OpsLab(etcd).onControlPlane();
        ops.waiter.eachTime(this::start);
        // where none of the old members is left, the API server knows the new one
        ops.hinted.add(URI.create("https://new:2379"));
    }

    /** Nobody starts what is added. */
    ReplaceLab nobodyStarts() {
        starts = false;
        return this;
    }

    /** As at the beginning. */
    void somebodyStarts() {
        starts = true;
    }

    private void start() {
        if (starts && ops.etcd.writable()) {
            ops.etcd.members().stream()
                    .filter(member -> !member.started())
                    .forEach(member -> ops.etcd.start(
                            member.id(), member.peerUrls().getFirst().getHost()));
        }
    }

    void run(String word, NewMember wanted, boolean prepareOnly, Confirmation confirmation) {
        run(
                word,
                wanted,
                new MemberReplacement.Options(Duration.ofMinutes(30), prepareOnly),
                confirmation,
                new World(
                        access -> socket.plug(EtcdCluster.class, ops.etcd),
                        socket.plug(HostFiles.class, ops.files),
                        ops.waiter));
    }

    void dryRun(String word) {
        run(
                word,
                NEW,
                new MemberReplacement.Options(Duration.ofMinutes(30), false),
                Confirmation.GIVEN,
                new World(
                        ReportingEtcdCluster.connector(access -> ops.etcd, ops.out),
                        new OverlayFiles(ops.files, ops.out),
                        new ReportingWaiter(ops.waiter::now, ops.out)));
    }

    /** What the program reaches the world through. */
    private record World(EtcdConnector etcd, HostFiles files, Waiter waiter) {}

    private void run(
            String word,
            NewMember wanted,
            MemberReplacement.Options options,
            Confirmation confirmation,
            World world) {
        EtcdSession session = ops.open(EtcdTarget.of(List.of(), Optional.empty()), world.etcd());
        MembershipSteps steps = ops.steps(session, world.waiter());
        new MemberReplacement(
                        session,
                        steps,
                        new ReplaceJournal(
                                world.files(),
                                KubernetesPaths.standard(),
                                Failpoints.none(),
                                world.waiter()),
                        this::facts,
                        alarms(session, steps),
                        ops.out)
                .replace(word, wanted, options, confirmation);
    }

    void run(String word) {
        run(word, NEW, false, Confirmation.GIVEN);
    }

    AlarmDisarm alarms(EtcdSession session, MembershipSteps steps) {
        return new AlarmDisarm(
                session,
                steps,
                new Defragmentation(session, steps, ops.waiter, new FileDiskProbe(false), ops.out),
                ops.waiter,
                ops.out);
    }

    ClusterFacts facts() {
        EtcdHealth health = EtcdHealth.ask(ops.etcd);
        Map<MemberId, MemberProbe> looks = health.statuses().values().stream()
                .collect(Collectors.toMap(
                        status -> status.memberId(),
                        status -> new MemberProbe(
                                status,
                                OptionalLong.empty(),
                                Optional.of(health.members()),
                                Optional.of(health.members()))));
        return ClusterFacts.of(health.members(), looks, health.silences());
    }

    /** Names of the voters, in order; nobody else may be listed. */
    String voters() {
        List<Member> members = ops.etcd.members();
        if (members.stream().anyMatch(Member::learner)) {
            throw new AssertionError("a learner is left: " + members);
        }
        return members.stream().map(Member::name).sorted().collect(Collectors.joining(" "));
    }

    boolean journalLeft() {
        HostFiles files = ops.files;
        return files.exists(KubernetesPaths.standard()
                        .tmpDir()
                        .resolve("kjadm-etcd-replace/journal.json"))
                || files.exists(KubernetesPaths.standard()
                        .tmpDir()
                        .resolve("kjadm-etcd-replace/kjadm-etcd-join"));
    }
}
