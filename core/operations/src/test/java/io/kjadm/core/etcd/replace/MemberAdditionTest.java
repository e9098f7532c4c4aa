package io.kjadm.core.etcd.replace;

import static io.kjadm.core.error.Reasons.assertReason;
import static io.kjadm.etcd.Lines.assertHasLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.MembershipChanges;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.etcd.CommonReason;
import io.kjadm.etcd.Named;
import io.kjadm.etcd.SimulatedCluster;
import io.kjadm.etcd.SimulatedCluster.Fault;
import io.kjadm.etcd.join.NewMember;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.URI;
import java.util.List;

/** A learner is added for a machine of somebody else, or a dead control-plane node is let go. */
class MemberAdditionTest {

    private final ReplaceLab lab = new ReplaceLab(3).nobodyStarts();

    private void add(ReplaceLab to, boolean allowDegraded) {
        add(to, ReplaceLab.NEW, allowDegraded);
    }

    private static void add(ReplaceLab to, NewMember wanted, boolean allowDegraded) {
        EtcdSession session = to.ops.open();
        new MemberAddition(session, to.ops.steps(session, to.ops.waiter), to::facts, to.ops.out)
                .add(wanted, allowDegraded);
    }

    @Test
    void aLearnerIsAddedAndItsStartIsTold() {
        add(lab, false);
        assertEquals(List.of("addLearner https://new:2380"), lab.ops.etcd.changes());
        String text = lab.ops.out.text();
        assertHasLine(
                "--initial-cluster=cp-1=https://cp-1:2380,cp-2=https://cp-2:2380,cp-3=https://cp-3:2380,new=https://new:2380",
                text);
        assertHasLine("Then run 'kjadm etcd member promote a004'", text);
    }

    @Test
    void aSecondRunTellsTheSame() {
        add(lab, false);
        add(lab, false);
        assertEquals(1, lab.ops.etcd.changes().size());
        lab.ops.etcd.start(lab.ops.etcd.members().getLast().id(), "new");
        add(lab, false);
        assertEquals(1, lab.ops.etcd.changes().size());
    }

    /** With the lines of a second run etcd would end: its list would have one name for two members. */
    @Test
    void aSecondRunWithTheNameOfAnotherMemberIsRefused() {
        add(lab, false);
        NewMember namesake = NewMemberWords.parse("cp-2", "https://new:2380");
        assertReason(CommonReason.EXISTS, ClusterException.class, () -> add(lab, namesake, false));
        add(lab, NewMemberWords.parse("other", "https://new:2380"), false);
        assertHasLine("--name=other", lab.ops.out.text());
    }

    @Test
    void anAnswerThatIsLostAddsNoSecondOne() {
        lab.ops.etcd.next(Fault.REPLY_LOST);
        add(lab, false);
        assertEquals(1, lab.ops.etcd.changes().size());
        assertEquals(4, lab.ops.etcd.members().size());
    }

    @Test
    void aMemberMayHaveSeveralPeerUrls() {
        NewMember wanted =
                NewMemberWords.parse("new", "https://new:2380,https://[fd00:0::4]", "https://net2");

        add(lab, wanted, false);

        assertEquals(
                List.of("addLearner https://[fd00::4]:2380,https://net2:2380,https://new:2380"),
                lab.ops.etcd.changes());
        assertEquals(wanted.peerUrls(), lab.ops.etcd.members().getLast().peerUrls());
        String text = lab.ops.out.text();
        String all = "https://new:2380,https://[fd00::4]:2380,https://net2:2380";
        assertHasLine("--listen-peer-urls=" + all, text);
        assertHasLine("--initial-advertise-peer-urls=" + all, text);
        assertHasLine(
                "--initial-cluster=cp-1=https://cp-1:2380,cp-2=https://cp-2:2380,cp-3=https://cp-3:2380,new=https://new:2380,new=https://[fd00::4]:2380,new=https://net2:2380",
                text);

        add(lab, NewMemberWords.parse("new", "https://net2,https://[fd00::4],https://new"), false);

        assertEquals(1, lab.ops.etcd.changes().size());
    }

    /** A part of them is another member: who has them all must be told apart from who has some. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "https://new:2380,https://cp-1:2380                   | cp-1",
                "https://cp-2:2380,https://cp-1:2380,https://new:2380 | cp-1 cp-2"
            })
    void oneOfSeveralThatAnotherHasIsRefused(String urls, String others) {
        ClusterException refusal = assertThrows(
                ClusterException.class, () -> add(lab, NewMemberWords.parse("new", urls), false));
        assertEquals(others, String.join(" ", Named.members(refusal.why())));
        assertEquals(List.of(), lab.ops.etcd.changes());
    }

    @Test
    void neverASecondLearner() {
        lab.ops.learner("cp-4");
        assertThrows(ClusterException.class, () -> add(lab, false));
        assertEquals(List.of(), lab.ops.etcd.changes());
    }

    @Test
    void aUrlOfAnotherMemberIsRefused() {
        EtcdSession session = lab.ops.open();
        assertThrows(
                ClusterException.class,
                () -> new MemberAddition(
                                session,
                                lab.ops.steps(session, lab.ops.waiter),
                                lab::facts,
                                lab.ops.out)
                        .add(NewMemberWords.parse("new", "https://cp-1:2380"), false));
        assertEquals(List.of(), lab.ops.etcd.changes());
    }

    @Test
    void aVoterThatIsDownIsPutUpWithOnlyAsFarAsEtcdDoes() {
        ReplaceLab five = new ReplaceLab(5).nobodyStarts();
        five.ops.etcd.stop(five.ops.etcd.id("cp-2"));
        assertThrows(ClusterException.class, () -> add(five, false));
        assertEquals(List.of(), five.ops.etcd.changes());
        add(five, true);
        assertEquals(1, five.ops.etcd.changes().size());
        ReplaceLab old = new ReplaceLab(SimulatedCluster.ofVoters(5, "3.5.29")).nobodyStarts();
        old.ops.etcd.stop(old.ops.etcd.id("cp-2"));
        assertThrows(ClusterException.class, () -> add(old, true));
        assertEquals(List.of(), old.ops.etcd.changes());
    }

    @ParameterizedTest
    @CsvSource({
        "new, cp-4:2380",
        "new, ftp://cp-4:2380",
        "new, https://cp-4/x",
        "'', https://cp-4:2380",
        "a=b, https://cp-4:2380",
        "cp-4, 'https://cp-4:2380,'",
        "cp-4, 'https://cp-4:2380,cp-5:2380'"
    })
    void wordsThatAreNoMemberAreRefused(String name, String url) {
        assertThrows(UsageException.class, () -> NewMemberWords.parse(name, url));
    }

    @Test
    void thePortOfPeersIsMeantWhereNoneIsSaid() {
        assertEquals(
                URI.create("https://cp-4:2380"),
                NewMemberWords.parse("cp-4", "https://cp-4").peerUrl());
    }

    private void letGo(ReplaceLab of, String word) {
        EtcdSession session = of.ops.open();
        MembershipSteps steps = of.ops.steps(session, of.ops.waiter);
        new StackedReplacement(
                        steps,
                        new MembershipChanges(session, steps, of.ops.out),
                        of.alarms(session, steps),
                        of.ops.out)
                .replace(word);
    }

    @Test
    void aDeadControlPlaneNodeIsLetGoAndTheJoinIsTold() {
        lab.ops.etcd.stop(lab.ops.etcd.id("cp-3"));
        letGo(lab, "cp-3");
        assertEquals(List.of("remove a003"), lab.ops.etcd.changes());
        assertHasLine(
                "3. on the new machine:    that command, with --control-plane --certificate-key KEY of step 1",
                lab.ops.out.text());
        assertHasLine("4. on a node that runs:   kubectl delete node cp-3", lab.ops.out.text());
    }

    @Test
    void oneThatIsBackWhenTheLockIsTakenStays() {
        lab.ops.etcd.stop(lab.ops.etcd.id("cp-3"));
        lab.ops.meanwhile = () -> lab.ops.etcd.start(lab.ops.etcd.id("cp-3"), "cp-3");
        ClusterException refusal = assertThrows(ClusterException.class, () -> letGo(lab, "cp-3"));
        assertEquals(
                "join the new control-plane node, then run 'kjadm reset' on the node of cp-3",
                refusal.next());
        assertEquals(List.of(), lab.ops.etcd.changes());
    }

    @Test
    void oneThatServesStaysUntilAnotherHasJoined() {
        ClusterException refusal = assertThrows(ClusterException.class, () -> letGo(lab, "cp-3"));
        assertEquals(
                "join the new control-plane node, then run 'kjadm reset' on the node of cp-3",
                refusal.next());
        assertEquals(List.of(), lab.ops.etcd.changes());
    }
}
