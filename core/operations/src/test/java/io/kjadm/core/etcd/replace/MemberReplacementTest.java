package io.kjadm.core.etcd.replace;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.journal.PowerCut;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.check.EtcdRule;
import io.kjadm.etcd.join.FailReason;
import io.kjadm.etcd.join.NewMember;
import io.kjadm.manifests.ManifestYaml;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A voter is replaced by a member that somebody else starts; cp-1 leads where it runs. */
class MemberReplacementTest {

    private static final String JOURNAL = "/etc/kubernetes/tmp/kjadm-etcd-replace/journal.json";

    private static ReplaceLab dead(int voters, String version) {
        ReplaceLab lab = new ReplaceLab(SimulatedCluster.ofVoters(voters, version));
        lab.ops.etcd.stop(lab.ops.etcd.id("cp-2"));
        return lab;
    }

    private static String orderOf(ReplaceLab lab) {
        return lab.ops.etcd.changes().getFirst().split(" ")[0];
    }

    // ---- the order

    @Test
    void ofThreeTheDeadOneLeavesFirst() {
        ReplaceLab lab = dead(3, "3.5.30");
        lab.run("cp-2");
        assertEquals(
                List.of("remove a002", "addLearner https://new:2380", "promote a004"),
                lab.ops.etcd.changes());
        assertEquals("cp-1 cp-3 new", lab.voters());
        assertFalse(lab.journalLeft());
    }

    @Test
    void oneThatServesLeavesLast() {
        ReplaceLab lab = new ReplaceLab(3);
        lab.run("cp-1");
        assertEquals(
                List.of(
                        "addLearner https://new:2380",
                        "promote a004",
                        "moveLeader a002",
                        "remove a001"),
                lab.ops.etcd.changes());
        assertEquals("cp-2 cp-3 new", lab.voters());
        assertFalse(lab.journalLeft());
        assertEquals(
                List.of("take member replace", "give back after " + lab.ops.etcd.changes()),
                lab.ops.turns);
    }

    /** It was down when the order was decided. */
    @Test
    void oneThatIsBackWhenTheLockIsTakenDoesNotLeaveFirst() {
        ReplaceLab lab = dead(3, "3.5.30");
        lab.ops.meanwhile = () -> lab.ops.etcd.start(lab.ops.etcd.id("cp-2"), "cp-2");
        assertThrows(ClusterException.class, () -> lab.run("cp-2"));
        assertEquals(List.of(), lab.ops.etcd.changes());
        assertFalse(lab.journalLeft());
        // the same command plans again
        lab.run("cp-2");
        assertEquals("addLearner", orderOf(lab));
        assertEquals("cp-1 cp-3 new", lab.voters());
    }

    @Test
    void theOnlyVoterIsReplacedToo() {
        ReplaceLab lab = new ReplaceLab(1);
        lab.run("cp-1");
        assertEquals("new", lab.voters());
    }

    @ParameterizedTest
    @CsvSource({
        "5, 3.5.30, addLearner",
        "5, 3.5.29, remove",
        "5, 3.6.10, remove",
        "5, 3.6.11, addLearner",
        "4, 3.5.30, remove",
        "7, 3.6.14, addLearner"
    })
    void fromFiveOnANewEtcdAddsFirst(int voters, String version, String first) {
        ReplaceLab lab = dead(voters, version);
        lab.run("cp-2");
        assertEquals(first, orderOf(lab));
        assertEquals(voters, lab.voters().split(" ").length);
        assertTrue(lab.voters().endsWith(" new"));
    }

    /** The leader was killed a moment before. */
    @Test
    void theElectionOfAnotherLeaderIsWaitedFor() {
        ReplaceLab lab = new ReplaceLab(3);
        lab.ops.etcd.stop(lab.ops.etcd.id("cp-1"));
        lab.ops.etcd.leadBy(MemberId.NONE);
        lab.ops.waiter.after(
                Duration.ofSeconds(2), () -> lab.ops.etcd.leadBy(lab.ops.etcd.id("cp-3")));
        lab.run("cp-1");
        assertEquals("cp-2 cp-3 new", lab.voters());
        assertFalse(lab.journalLeft());
    }

    @Test
    void anElectionWithoutEndIsARefusal() {
        ReplaceLab lab = dead(3, "3.5.30");
        lab.ops.etcd.leadBy(MemberId.NONE);
        assertThrows(ClusterException.class, () -> lab.run("cp-2"));
        assertEquals(List.of(), lab.ops.etcd.changes());
        assertFalse(lab.journalLeft());
    }

    @Test
    void oneOfTwoThatIsDeadCannotBeReplaced() {
        ReplaceLab lab = dead(2, "3.5.30");
        ClusterException refusal = assertThrows(ClusterException.class, () -> lab.run("cp-2"));
        assertEquals(
                "bring a majority of the voters back; if they are lost for good, restore a snapshot: kjadm etcd snapshot restore",
                refusal.next());
        assertEquals(List.of(), lab.ops.etcd.changes());
        assertFalse(lab.journalLeft());
    }

    @Test
    void nothingIsChangedWhileAnotherVoterIsDown() {
        ReplaceLab lab = dead(3, "3.5.30");
        ClusterException refusal = assertThrows(ClusterException.class, () -> lab.run("cp-3"));
        assertEquals(Set.of("cp-2"), Named.members(refusal.why()), refusal.why());
        assertEquals(List.of(), lab.ops.etcd.changes());
    }

    @Test
    void theChecksOfAJoinCountBeforeTheRemoval() {
        ReplaceLab lab = dead(3, "3.5.10");
        ClusterException refusal = assertThrows(ClusterException.class, () -> lab.run("cp-2"));
        assertEquals(Optional.of(EtcdRule.VERSION), refusal.reason());
        assertEquals(List.of(), lab.ops.etcd.changes());
    }

    @Test
    void aFullDatabaseIsDealtWithFirst() {
        ReplaceLab lab = dead(3, "3.5.30");
        lab.ops.etcd.alarm(Alarm.NOSPACE);
        ClusterException refusal = assertThrows(ClusterException.class, () -> lab.run("cp-2"));
        assertEquals(Optional.of(EtcdRule.ALARMS), refusal.reason());
        assertEquals(List.of(), lab.ops.etcd.changes());
    }

    @Test
    void aDamagedMemberLeavesFirstAndItsAlarmWithIt() {
        ReplaceLab lab = new ReplaceLab(3);
        MemberId damaged = lab.ops.etcd.id("cp-1");
        lab.ops.etcd.alarm(damaged, Alarm.CORRUPT);
        lab.ops.etcd.diverge(damaged);
        lab.run("cp-1");
        assertEquals(
                List.of(
                        "moveLeader a002",
                        "remove a001",
                        "disarm CORRUPT a001",
                        "addLearner https://new:2380",
                        "promote a004"),
                lab.ops.etcd.changes());
        assertEquals("cp-2 cp-3 new", lab.voters());
    }

    @Test
    void aNameThatIsTakenIsRefusedUnlessItsMemberLeavesFirst() {
        ReplaceLab live = new ReplaceLab(3);
        NewMember sameName = NewMember.elsewhere("cp-2", List.of(ReplaceLab.NEW.peerUrl()));
        assertThrows(
                ClusterException.class,
                () -> live.run("cp-2", sameName, false, Confirmation.GIVEN));
        assertEquals(List.of(), live.ops.etcd.changes());
    }

    @Test
    void aLearnerIsNotReplaced() {
        ReplaceLab lab = new ReplaceLab(3);
        MemberId learner = lab.ops.startedLearner("cp-4");
        assertThrows(ClusterException.class, () -> lab.run(learner.toString()));
        assertThrows(ClusterException.class, () -> lab.run("cp-2"));
        assertEquals(List.of(), lab.ops.etcd.changes());
    }

    @Test
    void nothingIsChangedWhileSomebodyElseChangesTheMembers() {
        ReplaceLab lab = dead(3, "3.5.30");
        lab.ops.lock = lab.ops.held("cp-9/1a2b", Duration.ofMinutes(1), true);
        assertReason(CommonReason.LOCK_HELD, ClusterException.class, () -> lab.run("cp-2"));
        assertEquals(List.of(), lab.ops.etcd.changes());
    }

    // ---- what is asked and told

    @Test
    void preparationChangesNothingAndTellsHowToStart() {
        ReplaceLab lab = dead(3, "3.5.30");
        lab.run("cp-2", ReplaceLab.NEW, true, (area, question) -> {
            throw new AssertionError(question);
        });
        assertEquals(List.of(), lab.ops.etcd.changes());
        assertFalse(lab.journalLeft());
        assertHasLine(
                "--initial-cluster=cp-1=https://cp-1:2380,cp-3=https://cp-3:2380,new=https://new:2380",
                lab.ops.out.text());
    }

    @Test
    void whoSaysNoChangesNothing() {
        ReplaceLab lab = dead(3, "3.5.30");
        assertThrows(
                UsageException.class,
                () -> lab.run("cp-2", ReplaceLab.NEW, false, (area, question) -> false));
        assertEquals(List.of(), lab.ops.etcd.changes());
        assertFalse(lab.journalLeft());
    }

    @Test
    void aSecondRunHasNothingToDo() {
        ReplaceLab lab = dead(3, "3.5.30");
        lab.run("cp-2");
        int changes = lab.ops.etcd.changes().size();
        lab.run("cp-2");
        assertEquals(changes, lab.ops.etcd.changes().size());
    }

    @Test
    void aMemberThatNobodyStartsIsWaitedForAndGoneOnWith() {
        ReplaceLab lab = dead(3, "3.5.30").nobodyStarts();
        ClusterException end = assertThrows(ClusterException.class, () -> lab.run("cp-2"));
        assertEquals(Optional.of(FailReason.STALLED), end.reason());
        assertTrue(lab.journalLeft());
        Member learner = lab.ops.etcd.members().stream()
                .filter(Member::learner)
                .findFirst()
                .orElseThrow();
        lab.ops.etcd.start(learner.id(), "new");
        lab.run("cp-2");
        assertEquals("cp-1 cp-3 new", lab.voters());
        assertEquals(3, lab.ops.etcd.changes().size(), lab.ops.etcd.changes().toString());
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void aDryRunComesToItsEndAndChangesNothing(boolean oldIsDead) {
        ReplaceLab lab = oldIsDead ? dead(3, "3.5.30") : new ReplaceLab(3);
        lab.dryRun("cp-2");
        assertEquals(List.of(), lab.ops.etcd.changes());
        assertFalse(lab.journalLeft());
        String add = "Would add etcd member https://new:2380 as a learner,"
                + " and promote it once it has caught up";
        String remove = "Would remove etcd member a002";
        assertEquals(
                oldIsDead ? List.of(remove, add) : List.of(add, remove),
                lab.ops.out.in("dryrun").stream()
                        .filter(line -> Set.of(add, remove).contains(line))
                        .toList());
    }

    // ---- power cuts

    @Tag("power-cut")
    @ParameterizedTest
    @CsvSource({"3, true", "5, true", "3, false", "1, false"})
    void killedBehindAnyChangeTheSameCommandGoesOn(int voters, boolean oldIsDead) {
        String old = voters == 1 ? "cp-1" : "cp-2";
        int cuts = 0;
        for (PowerCut.Socket socket : PowerCut.everyMoment()) {
            ReplaceLab lab = oldIsDead ? dead(voters, "3.5.30") : new ReplaceLab(voters);
            lab.socket = socket;
            try {
                lab.run(old);
            } catch (PowerCut cut) {
                assertTrue(cut.at(lab.socket));
            }
            EtcdHealth between = EtcdHealth.ask(lab.ops.etcd);
            assertTrue(between.hasQuorum(), socket + ": " + between.quorumText());
            lab.socket = new PowerCut.Socket(Integer.MAX_VALUE);
            lab.run(old);
            String where = "%s: %s".formatted(socket, lab.ops.etcd.changes());
            assertEquals(voters, lab.voters().split(" ").length, where);
            assertTrue(lab.voters().endsWith("new"), where);
            assertFalse(lab.voters().contains(old), where);
            assertFalse(lab.journalLeft(), where);
            assertEquals(
                    1,
                    lab.ops.etcd.changes().stream()
                            .filter(change -> change.startsWith("addLearner"))
                            .count(),
                    where);
            cuts = socket.step();
        }
        assertTrue(cuts >= 12, "cuts " + cuts);
    }

    @Test
    void anotherReplacementWaitsForTheOneThatHasNotEnded() {
        ReplaceLab lab = dead(3, "3.5.30");
        lab.socket = new PowerCut.Socket(3);
        assertThrows(PowerCut.class, () -> lab.run("cp-2"));
        lab.socket = new PowerCut.Socket(Integer.MAX_VALUE);
        List<String> changes = lab.ops.etcd.changes();
        NewMember other = NewMember.elsewhere("other", List.of(SimulatedCluster.peerUrl("other")));
        ClusterException refusal = assertThrows(
                ClusterException.class, () -> lab.run("cp-2", other, false, Confirmation.GIVEN));
        assertEquals(
                "resume it: kjadm etcd member replace a002 https://new:2380 --name new; or, to abort it, check 'kjadm etcd member list' and delete the directory /etc/kubernetes/tmp/kjadm-etcd-replace",
                refusal.next());
        assertThrows(ClusterException.class, () -> lab.run("cp-3"));
        assertEquals(changes, lab.ops.etcd.changes());
    }

    @Test
    void theOldOneStaysIfTheNewOneHasGone() {
        ReplaceLab lab = cutBehindTheNoteOfTheDeparture();
        lab.ops.etcd.removeByOther(lab.ops.etcd.id("new"));
        lab.socket = new PowerCut.Socket(Integer.MAX_VALUE);
        ClusterException end = assertThrows(ClusterException.class, () -> lab.run("cp-2"));
        assertEquals(
                "a002 cp-2 (voter, https://cp-2:2380) stays: the member that is to replace it does not vote and serve",
                end.what());
        assertEquals(
                "bring it back, then run the same command again; if it was removed, delete the directory /etc/kubernetes/tmp/kjadm-etcd-replace and start again",
                end.next());
        assertEquals("cp-1 cp-2 cp-3", lab.voters());
    }

    private static ReplaceLab cutBehindTheNoteOfTheDeparture() {
        for (int cut = 1; ; cut++) {
            ReplaceLab lab = new ReplaceLab(3);
            lab.socket = new PowerCut.Socket(cut);
            assertThrows(PowerCut.class, () -> lab.run("cp-2"));
            if (lab.journalLeft()
                    && ManifestYaml.readObject(lab.ops.files.text(JOURNAL))
                            .get("stage")
                            .equals("DEPARTURE")) {
                return lab;
            }
        }
    }

    @Test
    void aJournalThatCannotBeReadIsNotPassedOver() {
        ReplaceLab lab = dead(3, "3.5.30");
        lab.ops.files.with(JOURNAL, "{\"stage\":");
        assertThrows(HostException.class, () -> lab.run("cp-2"));
        assertEquals(List.of(), lab.ops.etcd.changes());
    }
}
