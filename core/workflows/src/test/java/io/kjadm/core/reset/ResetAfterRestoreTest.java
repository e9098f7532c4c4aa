package io.kjadm.core.reset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.StoredMember;
import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.etcd.leave.EtcdOutcome;
import io.kjadm.core.host.FileMode;
import io.kjadm.etcd.Named;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * A restore on cp-1 was abandoned: its manifests are out of the kubelet's sight and its data are set
 * aside, while the other members run, and list it.
 */
class ResetAfterRestoreTest {

    private static final Path WORK = Path.of("/etc/kubernetes/tmp/kjadm-restore");
    private static final Path KEPT = Path.of("/var/lib/etcd.replaced-20260101-000000");

    private final ResetLab lab = new ResetLab();

    @BeforeEach
    void abandonedWithoutData() {
        abandoned("SET_ASIDE", "a001", "c1");
        lab.files.rename(ResetLab.DATA.resolve("member"), KEPT);
    }

    private void abandoned(String step, String memberId, String clusterId) {
        lab.dataOf(0xa001);
        for (String name :
                List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd")) {
            lab.files.write(
                    WORK.resolve(name + ".yaml"),
                    lab.files.text(ResetLab.MANIFESTS + "/" + name + ".yaml"),
                    FileMode.OWNER_ONLY);
            lab.files.delete(ResetLab.MANIFESTS.resolve(name + ".yaml"));
        }
        lab.boot();
        journal(step, memberId, clusterId);
    }

    private void journal(String step, String memberId, String clusterId) {
        lab.files.with(WORK + "/journal.json", """
                {"snapshot": "s1", "command": "kjadm etcd snapshot restore s1",
                 "began": "2026-01-01T00:00:00Z", "token": "t", "aside": "%s", "step": "%s",
                 "data": {"previous": {"clusterId": "%s", "memberId": "%s"},
                          "made": {"clusterId": "beef", "memberId": "dead"}, "undoing": false}}
                """.formatted(KEPT, step, clusterId, memberId));
    }

    @Test
    void theMemberWhoseDataWereSetAsideLeavesTheCluster() {
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
        lab.assertClean();
        assertFalse(lab.files.exists(WORK));
        assertTrue(lab.files.exists(KEPT.resolve("wal/0.wal")));
    }

    @Test
    void soItDoesWhenTheResetIsForced() {
        lab.forced().conclude();
        assertFalse(lab.listed("cp-1"));
        lab.assertClean();
    }

    /** Neither address nor name is the member's by now: what was set aside tells its ID. */
    @Test
    void itIsKnownByTheDataThatWereSetAside() {
        lab.files.with(
                WORK + "/etcd.yaml",
                lab.files
                        .text(WORK + "/etcd.yaml")
                        .replace("https://cp-1:2380", "https://elsewhere:2380")
                        .replace("--name=cp-1", "--name=other"));
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
    }

    /** A founder's manifest names itself only. */
    @Test
    void theMembersThatTheRestoreHasNotedAreAsked() {
        lab.files.with(
                WORK + "/etcd.yaml",
                lab.files
                        .text(WORK + "/etcd.yaml")
                        .replace("cp-2=https://cp-2:2380,", "")
                        .replace("--initial-cluster-state=existing", "--v=1"));
        lab.files.with(WORK + "/members.json", StoredMember.write(lab.etcd.members()));
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
        assertEquals(
                List.of("https://cp-1:2379", "https://cp-2:2379", "https://cp-3:2379"),
                lab.accesses.getLast().endpoints().stream().map(String::valueOf).toList());
    }

    /** The data that the restore has made never served: they do not tell whom the others list. */
    @Test
    void dataThatTheRestoreHasMadeAreNotTheMembers() {
        journal("REBUILT", "a001", "c1");
        lab.files.with("/var/lib/etcd/member/wal/0.wal", WalText.of(0xdead, 0xbeef));
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
        lab.assertClean();
    }

    /** As an earlier release has left it: the node has joined again since. */
    @Test
    void aJournalAboutAnEarlierMemberIsNotBelieved() {
        journal("SET_ASIDE", "a003", "c1");
        lab.dataOf(0xa001);
        lab.reset().conclude();
        assertFalse(lab.listed("cp-1"));
        assertTrue(lab.listed("cp-3"));
    }

    @Test
    void aMemberThatNobodyListsNeedsNoRemoval() {
        lab.etcd.removeByOther(lab.etcd.id("cp-1"));
        lab.forced().conclude();
        assertEquals(List.of(), lab.etcd.changes());
        lab.assertClean();
    }

    @Test
    void withoutAnAnswerNothingIsChanged() {
        lab.reachable = false;
        assertEquals(Set.of("--force"), Named.flags(lab.refused().next()));
        assertTrue(lab.files.exists(WORK.resolve("journal.json")));
    }

    @Test
    void aFounderIsNotTakenForOneThatNeverStarted() {
        lab.reachable = false;
        lab.files.with(
                WORK + "/etcd.yaml",
                lab.files
                        .text(WORK + "/etcd.yaml")
                        .replace("--initial-cluster-state=existing", "--v=1"));
        assertEquals(Set.of("--force"), Named.flags(lab.refused().next()));
    }

    @Test
    void aForcedResetWithoutAnAnswerFails() {
        lab.reachable = false;
        ResetRun done = lab.forced();
        assertInstanceOf(EtcdOutcome.Kept.class, done.outcome().orElseThrow());
        assertThrows(ClusterException.class, done::conclude);
    }

    @Test
    void withoutAQuorumNothingIsChanged() {
        lab.etcd.stop(lab.etcd.id("cp-3"));
        lab.refused();
        assertEquals(List.of(), lab.etcd.changes());
    }
}
