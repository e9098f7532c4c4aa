package io.kjadm.core.etcd.replace;

import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.etcd.upkeep.RealMembers;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.etcd.EtcdBinary;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdProcess;
import io.kjadm.etcd.join.NewMember;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Voters of real etcd are replaced by members that somebody starts once they are listed. */
class RealReplaceTest {

    @TempDir
    Path folder;

    private final NewMember wanted = NewMember.elsewhere("new", List.of(EtcdProcess.freeUrl()));

    private static EtcdBinary binary() {
        return EtcdBinary.anyOf(version -> version.atLeast(3, 5) && version.addsWithSilentVoter());
    }

    private void replaced(RealMembers members, String old) {
        RealReplacement.of(members, old, wanted);
        assertTrue(EtcdHealth.ask(members.cluster()).allVotersHealthy());
    }

    @Test
    void aDeadOneOfThree() throws IOException {
        try (RealMembers members = new RealMembers(binary(), folder, 3).settled()) {
            members.kill("m1");
            members.starting(wanted);
            // behind the removal, which two changes of files announce
            assertThrows(
                    PowerCut.class,
                    () -> RealReplacement.of(members, "m1", wanted, new PowerCut.Socket(3)));
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
            assertHasLine(
                    "[etcd] Order: add new as a learner, promote it (6 voters), remove m1 (5 voters)",
                    members.ops.out.text());
        }
    }

    @Test
    void oneThatServes() throws IOException {
        try (RealMembers members = new RealMembers(binary(), folder, 3).settled()) {
            members.starting(wanted);
            String leader =
                    EtcdHealth.ask(members.cluster()).leader().orElseThrow().name();
            replaced(members, leader);
            List<String> left = new ArrayList<>(List.of("m1", "m2", "m3", "new"));
            left.remove(leader);
            assertEquals(left, members.voters());
        }
    }
}
