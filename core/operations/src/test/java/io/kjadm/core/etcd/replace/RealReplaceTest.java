package io.kjadm.core.etcd.replace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.check.FileDiskProbe;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.core.etcd.upkeep.AlarmDisarm;
import io.kjadm.core.etcd.upkeep.Defragmentation;
import io.kjadm.core.etcd.upkeep.RealMembers;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdProbe;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.JetcdConnector;
import io.kjadm.etcd.join.NewMember;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Voters of real etcd are replaced by members that somebody starts once they are listed. */
class RealReplaceTest {

    @TempDir
    Path folder;

    private final NewMember wanted = new NewMember("new", EtcdProcess.freeUrl());

    private static EtcdBinary binary() {
        return EtcdBinary.anyOf(version -> version.atLeast(3, 5) && version.addsWithSilentVoter());
    }

    private void replace(RealMembers members, String old, PowerCut.Socket socket) {
        try (EtcdSession session = members.ops.open(
                new EtcdTarget(members.endpoints(), Optional.empty()),
                access -> socket.plug(EtcdCluster.class, new JetcdConnector().connect(access)))) {
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
        }
    }

    private void replaced(RealMembers members, String old) {
        replace(members, old, new PowerCut.Socket(Integer.MAX_VALUE));
        assertTrue(EtcdHealth.ask(members.cluster()).allVotersHealthy());
    }

    @Test
    void aDeadOneOfThree() throws IOException {
        try (RealMembers members = new RealMembers(binary(), folder, 3).settled()) {
            members.kill("m1");
            members.starting(wanted);
            // behind the removal
            assertThrows(PowerCut.class, () -> replace(members, "m1", new PowerCut.Socket(2)));
            assertEquals(List.of("m2", "m3"), members.voters());
            replaced(members, "m1");
            assertEquals(List.of("m2", "m3", "new"), members.voters());
        }
    }

    @Test
    void aDeadOneOfFive() throws IOException {
        try (RealMembers members = new RealMembers(binary(), folder, 5).settled()) {
            members.kill("m1");
            members.starting(wanted);
            replaced(members, "m1");
            assertEquals(List.of("m2", "m3", "m4", "m5", "new"), members.voters());
            List<String> lines = members.ops.out.lines();
            assertTrue(
                    lines.stream().anyMatch(line -> line.contains("Order: add new as a learner")),
                    lines.toString());
        }
    }

    @Test
    void oneThatServes() throws IOException {
        try (RealMembers members = new RealMembers(binary(), folder, 3).settled()) {
            members.starting(wanted);
            String leader =
                    EtcdHealth.ask(members.cluster()).leader().orElseThrow().name();
            replaced(members, leader);
            assertEquals(3, members.voters().size());
            assertTrue(members.voters().contains("new"));
        }
    }
}
