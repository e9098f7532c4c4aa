package io.kjadm.core.etcd.replace;

import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.check.FileDiskProbe;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.core.etcd.upkeep.AlarmDisarm;
import io.kjadm.core.etcd.upkeep.Defragmentation;
import io.kjadm.core.etcd.upkeep.RealMembers;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdProbe;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.join.NewMember;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What {@code kjadm etcd member replace} does, to real members. */
public final class RealReplacement {

    private RealReplacement() {}

    /** Replaces a member by one that somebody starts once it is listed. */
    public static void of(RealMembers members, String old, NewMember wanted) {
        of(members, old, wanted, new PowerCut.Socket(Integer.MAX_VALUE));
    }

    /** The same, until the power goes. */
    public static void of(
            RealMembers members, String old, NewMember wanted, PowerCut.Socket socket) {
        // what a program that is killed has open is closed by the kernel
        List<EtcdCluster> connections = new ArrayList<>();
        try (EtcdSession session = members.open(access -> {
            connections.add(new JetcdConnector().connect(access));
            return socket.plug(EtcdCluster.class, connections.getLast());
        })) {
            MembershipSteps steps = members.ops.steps(session, members.waiter);
            new MemberReplacement(
                            session,
                            steps,
                            new ReplaceJournal(
                                    socket.plug(HostFiles.class, members.ops.files),
                                    KubernetesPaths.standard(),
                                    Failpoints.none(),
                                    members.waiter),
                            () -> new EtcdCheckup(EtcdProbe::open, members.waiter)
                                    .look(session.access()),
                            new AlarmDisarm(
                                    session,
                                    steps,
                                    new Defragmentation(
                                            session,
                                            steps,
                                            members.waiter,
                                            new FileDiskProbe(false),
                                            members.ops.out),
                                    members.waiter,
                                    members.ops.out),
                            members.ops.out)
                    .replace(
                            old,
                            wanted,
                            new MemberReplacement.Options(Duration.ofMinutes(5), false),
                            Confirmation.GIVEN);
        } finally {
            connections.forEach(EtcdCluster::close);
        }
    }
}
